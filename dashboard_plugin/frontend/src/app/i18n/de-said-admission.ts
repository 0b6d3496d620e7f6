import { Sentence } from '../../generated/types';

/** Why a round may not start, what could not be checked, and what the guard saw; in German. */
export const deSaidAdmission = {
  'changes-unknown': 'es ist nicht bekannt, ob OSDs in den letzten {span:span} kamen oder gingen',
  'client-load':
    'Clients nutzen {used:.3g} % dessen, was die letzten Läufe als möglich zeigten; bis zu {most:.3g} % sind erlaubt',
  'client-load-unknown': 'die Last der Clients ist nicht bekannt',
  'client-share-unknown':
    'Clients sind aktiv, aber ihr Anteil an der möglichen Last ist nicht bekannt: Läufe mit Blöcken ab 1 MiB messen die Bandbreite, solche mit kleineren die Operationen',
  'down-unknown': 'es ist nicht bekannt, welche OSDs ausgefallen sind',
  flags:
    '{flags#das Flag|die Flags} {flags:all} {flags#ist|sind} gesetzt: der Cluster wird vielleicht gewartet',
  'flags-unknown': 'die Flags der OSD-Map sind nicht bekannt',
  'fullness-unknown': 'es ist nicht bekannt, ob die OSDs fast voll sind',
  'guard-client-latency':
    'Operationen von Clients dauern {now} ms, {times:.1f}-mal so lange wie vor dem Lauf ({before} ms)',
  'guard-laggy-pgs': '{count|PG|PGs} mehr als vor dem Lauf wurden laggy',
  'guard-lost-pgs': '{count|PG|PGs} mehr als vor dem Lauf sind nicht nutzbar',
  'guard-osd-down': '{osds:osds} {osds#fiel|fielen} aus',
  'guard-osd-maps':
    'die OSD-Map änderte sich seit Beginn der Messungen {count}-mal, und Ceph kann ein OSD aufhängen, das beim Messen eine neue Map bekommt',
  'guard-osds-down': '{count|OSD fiel|OSDs fielen} aus: {osds:osds}',
  'guard-recovery': '{count|PG|PGs} mehr als vor dem Lauf waren in Recovery oder Backfill',
  'guard-slow-ops': '{count} langsame Operationen mehr als vor dem Lauf, auf {osds:osds}',
  health: 'der Cluster meldet {check}',
  'health-unknown': 'der Zustand des Clusters ist noch nicht bekannt',
  'osd-down': '{osds:osds} {osds#ist|sind} ausgefallen und noch „in“',
  'osd-flapping': '{osds:osds} kamen oder gingen bis zu {most}-mal in den letzten {span:span}',
  'osd-maps':
    'die OSD-Map änderte sich {count}-mal in {span:span}, und Ceph kann ein OSD aufhängen, das beim Messen eine neue Map bekommt; „ceph log last 50 info audit“ zeigt, was sie ändert',
  'osd-maps-unknown': 'es ist nicht bekannt, wie oft sich die OSD-Map ändert',
  'osd-full': '{osds:osds} {osds#ist|sind} voll, und ein Bench schreibt',
  'osd-nearfull':
    '{osds:osds} {osds#ist|sind} fast voll oder voller, und ein Bench schreibt darauf',
  'osds-on-release': '{count|OSD|OSDs} mit {release}',
  'pg-backfill': '{count|PG ist|PGs sind} in Backfill, das sich die Geräte mit einem Bench teilt',
  'pg-degraded': '{count|PG ist|PGs sind} ohne alle guten Kopien',
  'pg-inactive': '{count|PG ist|PGs sind} nicht aktiv: Clients warten darauf',
  'pg-laggy': '{count|PG ist|PGs sind} laggy: OSDs antworten schon jetzt zu spät',
  'pg-peering': '{count|PG ist|PGs sind} im Peering: Clients warten darauf',
  'pg-recovery': '{count|PG ist|PGs sind} in Recovery, die sich die Geräte mit einem Bench teilt',
  'pgs-unknown': 'die Zustände der PGs sind noch nicht bekannt',
  'pool-space':
    'der Lauf würde {bytes:gib} in den Bench-Pool schreiben, der {free:gib} freien Platz hat',
  'pool-unknown': 'es ist nicht bekannt, wie viel freien Platz der Bench-Pool hat',
  refused: '{tries}-mal abgelehnt, zuletzt weil: {why}',
  'round-running': 'Lauf {rounds:all} ist im Gange',
  'running-unknown': 'es ist noch nicht bekannt, ob ein Lauf im Gange ist',
  'schedule-given-up': 'Zeitplan {name}: in der vorgesehenen Zeit begann kein Lauf: {why}',
  'slow-ops': '{total|langsame Operation|langsame Operationen} auf {osds:osds}',
  'slow-ops-unknown': 'es ist nicht bekannt, ob OSDs langsame Operationen haben',
  'space-full': 'die {peak:gib} eines Bench würden {osds:osds} füllen',
  'space-nearfull': 'die {peak:gib} eines Bench würden {osds:osds} fast füllen',
  'space-unknown': 'es ist nicht bekannt, wie viel freien Platz die OSDs haben',
  'space-unknown-of': 'es ist nicht bekannt, wie viel freien Platz {osds:osds} {osds#hat|haben}',
  upgrade: 'laut Orchestrator läuft ein Upgrade',
  'upgrade-mixed': 'ein Upgrade ist im Gange: {releases:all}',
  'upgrade-unknown': 'es ist nicht bekannt, ob ein Upgrade im Gange ist',
  wear: '{osds:osds}: Läufe schrieben {written:gib} in den letzten 24 h, dieser würde {need:gib} mehr schreiben, und erlaubt sind {budget:gib} am Tag: {fits}',
  'wear-later': 'in {span:span} passt es',
  'wear-never': 'es passt nie',
  'wear-unknown': 'es ist nicht bekannt, wie viel Läufe in den letzten 24 h schrieben',
  window: 'es ist {now}, außerhalb des Fensters {window}, das in {span:span} öffnet',
  'window-closed': 'das Fenster {window} ist geschlossen',
  'window-short':
    'der Lauf dauert etwa {span:span}, und das Fenster {window} schließt in {left:span}',
  'window-unknown': 'es ist nicht bekannt, ob das Fenster offen ist: {error}',
} satisfies Partial<Record<Sentence, string>>;
