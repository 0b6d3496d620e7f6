import { Sentence } from '../../generated/types';

/** Why the database or the monitors do not take a change; in German. */
export const deSaidRefusedStore = {
  'database-damaged':
    'die Datenbank ist beschädigt ({why}): was lesbar ist, wird in eine neue übernommen; „ceph perf-bench store status“ sagt, wie weit das ist',
  'database-full-queue':
    'zu viel wartet auf die Datenbank im Cluster: „ceph -s“ ansehen, sind PGs inaktiv oder OSDs voll?',
  'database-job': 'etwas ist mit der Datenbank im Gange ({what}): das Ende abwarten',
  'database-pool-unmade': 'der Pool der Datenbank kann nicht angelegt werden: {why}',
  'database-silent':
    'die Datenbank im Cluster hat nicht in {seconds:g} s geantwortet: „ceph -s“ ansehen, sind PGs inaktiv oder OSDs voll?',
  'database-unusable': 'die Datenbank ist nicht nutzbar: {why}',
  'monitors-slow': 'die Monitors brauchen mehr als {seconds:g} s für {what}',
  'no-backup': 'keine Sicherung „{name}“: „ceph perf-bench store status“ nennt alle',
  'no-mgr-pool': 'die Option mgr_pool ist aus: ohne sie gibt es keine Datenbank',
  'no-osd-up': 'kein OSD ist up, also kann der Pool der Datenbank noch nicht angelegt werden',
  'no-such-round': 'kein Lauf {id}: „ceph perf-bench round ls“ nennt alle',
  'no-setting': 'keine Einstellung „{name}“',
  'not-active':
    'mgr.{name} ist nicht mehr der aktive Mgr (das ist {active}), also ändert er keine Einstellungen',
  'round-removed': 'kein Lauf {id}: er wurde am {day} UTC entfernt ({why})',
  'round-unfinished': 'ein Lauf ist nicht beendet: danach wird die Datenbank kopiert',
  'round-unreadable':
    'Lauf {id} ist nicht lesbar ({why}): „ceph perf-bench round export {id} --raw“ gibt das Gespeicherte aus, „ceph perf-bench round rm {id}“ entfernt ihn',
  'schema-newer':
    'die Datenbank hat das Schema {found}, diese Version kennt {known}: ein neueres perf_bench hat sie geschrieben, dieses wieder installieren',
  'too-few-osds': 'für den Pool der Datenbank gibt es noch nicht genug OSDs',
  'wait-for-round':
    'ein Lauf ist im Gange: erst nach seinem Ende ist das möglich ({what} der Datenbank)',
  'which-database-unread': 'die Monitors sagen nicht, welche Datenbank es ist: {why}',
} satisfies Partial<Record<Sentence, string>>;
