import { Sentence } from '../../generated/types';

/** Why the database or the monitors do not take a change; in German. */
export const deSaidRefusedStore = {
  'database-damaged':
    'die Datenbank {file} war beschädigt ({why}) und ist durch eine leere ersetzt',
  'database-full-queue':
    'zu viel wartet auf die Datenbank im Cluster: „ceph -s“ ansehen, sind PGs inaktiv oder OSDs voll?',
  'database-job': 'etwas ist mit der Datenbank im Gange ({what}): das Ende abwarten',
  'database-pool-unmade': 'der Pool der Datenbank kann nicht angelegt werden: {why}',
  'database-silent':
    'die Datenbank im Cluster hat nicht in {seconds:g} s geantwortet: „ceph -s“ ansehen, sind PGs inaktiv oder OSDs voll?',
  'database-unusable': 'die Datenbank ist nicht nutzbar: {why}',
  'no-backup': 'keine Sicherung „{name}“: „ceph perf-bench store status“ nennt alle',
  'no-mgr-pool': 'die Option mgr_pool ist aus: ohne sie gibt es keine Datenbank',
  'no-osd-up': 'kein OSD ist up, also kann der Pool der Datenbank noch nicht angelegt werden',
  'no-such-round': 'kein Lauf {id}: „ceph perf-bench round ls“ nennt alle',
  'not-active':
    'mgr.{name} ist nicht mehr der aktive Mgr (das ist {active}), also ändert er keine Einstellungen',
  'round-removed': 'kein Lauf {id}: er wurde am {day} UTC entfernt ({why})',
  'round-unreadable':
    'Lauf {id} ist nicht lesbar ({why}): „ceph perf-bench round export {id} --raw“ gibt das Gespeicherte aus, „ceph perf-bench round rm {id}“ entfernt ihn',
  'schema-newer':
    'die Datenbank hat das Schema {found}, diese Version kennt {known}: ein neueres perf_bench hat sie geschrieben, dieses wieder installieren',
  'store-job-failed': 'etwas ist mit der Datenbank fehlgeschlagen ({what}): {why}',
  'too-few-osds': 'für den Pool der Datenbank gibt es noch nicht genug OSDs',
  'wait-for-round':
    'ein Lauf ist im Gange: erst nach seinem Ende ist das möglich ({what} der Datenbank)',
  'which-database-unread': 'die Monitors sagen nicht, welche Datenbank es ist: {why}',
  'which-database-unsaved': 'die Monitors behalten nicht, welche Datenbank es ist: {why}',
  'which-database-unclear':
    'der Schlüssel {key} bei den Monitors ist nicht lesbar ({why}): siehe docs/store.md',
  'restore-sure':
    'das Wiederherstellen von {file} ersetzt alles, was gespeichert ist: mit „--yes-i-really-mean-it“ bestätigen',
  'reset-sure':
    'danach ist der Verlauf leer; die genutzte Datei bleibt im Pool: mit „--yes-i-really-mean-it“ bestätigen',
  'no-cephsqlite':
    '{library} ist auf dem Host dieses Mgr nicht installiert (Debian: libsqlite3-mod-ceph, sonst libcephsqlite): {why}',
  'database-pool-refused': 'der Pool „{pool}“ der Datenbank kann nicht angelegt werden: {why}',
  'database-lock-kept': 'die Sperre der Datenbank kann nicht zurückgegeben werden: {why}',
  'database-objects-left': 'Objekte der Datenbank können nicht entfernt werden: {why}',
  'database-no-answer': 'die Datenbank antwortet nicht',
  'database-late': 'die Datenbank im Cluster hat nicht alles rechtzeitig gesagt',
  'cephsqlite-unconnected':
    '{library} konnte sich nicht mit dem Cluster verbinden (Fehler {error})',
  'clock-wrong':
    'die Uhr auf dem Host dieses Managers weicht um {seconds:.0f} s von der der Monitore ab ({way}): nichts wird geschrieben, bis beide übereinstimmen; siehe „chronyc tracking“ auf dem Host',
  'restore-refused': '„{file}“ kann nicht wiederhergestellt werden: {why}',
  'schema-older':
    'die Datenbank hat das Schema {found}, diese Version liest ab {oldest}: vorher einmal ein perf_bench mit diesem Schema starten, oder neu beginnen mit „ceph perf-bench store reset“',
} satisfies Partial<Record<Sentence, string>>;
