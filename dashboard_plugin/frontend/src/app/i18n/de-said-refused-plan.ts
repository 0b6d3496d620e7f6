import { Sentence } from '../../generated/types';

/** Why a round cannot be planned, started or ended; in German. */
export const deSaidRefusedPlan = {
  'another-starting': 'ein anderer Lauf beginnt gerade',
  'baseline-invalid': 'Lauf {id} ist {verdict:state}: nur ein gültiger Lauf kann Baseline sein',
  'baseline-profile': 'Lauf {id} ist einer von {its}, nicht von {wanted}',
  'bench-limits':
    '{option} und osd_bench_duration erlauben nur {allowed} Schreiboperationen von {size} Byte in einem Bench, nötig sind {needed}: {option} erhöhen',
  'beyond-ids': '„{given}“ ist größer als jede ID eines OSD',
  'block-size':
    'Schreiboperationen von {size} Byte sind größer als osd_bench_max_block_size dieses Clusters, {most} Byte',
  'busy-running':
    'Lauf {id} ist im Gange: abwarten, oder mit „ceph perf-bench round abort {id}“ beenden',
  'busy-saving': 'Lauf {id} ist zu Ende und wartet auf die Datenbank: „ceph -s“ zeigt warum',
  'counts-down': '„{given}“ zählt rückwärts: {low}-{high} schreiben',
  'database-unread':
    'perf_bench hat seine Datenbank nicht gelesen: {why}; „ceph perf-bench store status“ zeigt mehr',
  'import-future': 'die Zeit der Ergebnisse liegt in der Zukunft: geht eine Uhr falsch?',
  'import-nothing': 'kein Job dieser Ergebnisse von {tool} hat Daten bewegt',
  'just-active':
    'perf_bench ist gerade aktiv geworden und hat seine Datenbank noch nicht gelesen: in einigen Sekunden noch einmal versuchen; „ceph perf-bench status“ zeigt, wann es so weit ist',
  'label-wrong': 'ein Label ist eine Zeile mit höchstens {most} druckbaren Zeichen',
  'max-repeats-range':
    '„--max-repeats“ {given} liegt nicht in {least} (so viele werden immer gemacht) bis {most}',
  'no-baseline-kind': 'Lauf {id} ist von der Art {kind}, für die es keine Baseline gibt',
  'no-bucket': 'kein OSD mit {kind}={name}; dieser Cluster hat {kind} {known:all}',
  'no-bucket-of-kind': 'kein OSD ist in einem „{kind}“; wählbar sind {known:all} oder IDs von OSDs',
  'no-osd-yet': 'dieser Cluster hat noch keinen OSD',
  'no-pool': 'einen Pool {name} gibt es nicht: „ceph osd pool ls“ nennt alle',
  'no-profile': 'kein Profil „{name}“: eines von {known:all} wählen',
  'no-selection':
    '„{given}“ wählt keine OSDs: „all“, IDs wie „0,3,7-9“, oder „class=NAME“, „host=NAME“, „rack=NAME“, „enclosure=ID“, verbunden mit „&“',
  'no-size':
    '„{given}“ ist keine Größe: Byte (ab 1) oder eine ganze Zahl mit K oder M angeben, wie 4096, 64K oder 4M',
  'no-such-osd': '{osds:osds} gibt es in diesem Cluster nicht',
  'no-worker': 'einen Worker {name} gibt es nicht: „ceph perf-bench worker ls“ nennt alle',
  'none-running': 'kein Lauf ist im Gange',
  'none-up': 'keiner der gewählten OSDs ist up: „ceph osd tree down“ zeigt sie',
  'number-range': '„--{name}“ {given} liegt nicht in {least} bis {most}',
  'object-too-large':
    'Objekte von {size} Byte sind größer als die {most} Byte, die osd_max_write_size und osd_max_object_size dieses Clusters erlauben',
  'option-not-of-profile':
    '{options:all} {options#gilt|gelten} nicht für Läufe von {profile}; für sie gelten {taken:all}',
  'option-not-taken':
    'osd.{osd} hat {option} {value} nicht übernommen: ist für diesen OSD ein anderer Wert gesetzt? „ceph config get osd.{osd} {option}“ zeigt es',
  'option-timezone-wrong': 'die Option mgr/perf_bench/admission_timezone: {why}',
  'option-window-wrong': 'die Option mgr/perf_bench/admission_window: {why}',
  'pool-foreign':
    'den Pool {pool} gibt es ohne die Anwendung {application}, also ist er nicht der des Bench: ihn umbenennen oder die Anwendung einschalten',
  'pool-full': 'der Pool {name} ist voll oder an seiner Quota: „ceph df“ zeigt es',
  'pool-growing':
    'der Pool {pool} wächst noch, er hat {now} von {all} PGs: in etwa {span:span} erneut versuchen; „ceph osd pool ls detail“ zeigt, wann er alle hat',
  'pool-of-others':
    'der Pool {name} gehört zu {applications:all}: „--foreign-pool“ belastet ihn trotzdem',
  'pool-removed': 'der Pool {name} wurde entfernt',
  'pool-unnamed': '„--pool“ nennt keinen Pool: weglassen für den Bench-Pool',
  'pool-with-objects':
    'der Pool {name} hat {count} Objekte, die nicht vom Bench sind: „--foreign-pool“ belastet ihn trotzdem',
  'pool-without-osds': 'kein OSD hält diesen Pool gerade: „ceph osd tree“ zeigt warum',
  'power-of-two':
    '„--{name}“ {given} ist keine Zweierpotenz, wie eine Suche sie braucht: {below} oder {above} angeben',
  'probe-pool-new': 'der Pool {pool} ist gerade angelegt worden; seine PGs sind im Peering',
  'refused-forceable': 'jetzt abgelehnt: {reasons:clauses} („--force“ startet trotzdem)',
  'refused-now': 'jetzt abgelehnt: {reasons:clauses}',
  'rest-range': '„--rest“ {given} liegt nicht in 2s bis 2h',
  'round-not-running': 'Lauf {id} ist nicht im Gange: {state:state}',
  'round-runs': 'Lauf {id} ist im Gange: zuerst mit „ceph perf-bench round abort {id}“ beenden',
  'round-saving': 'Lauf {id} hat alles gemessen und wird gespeichert',
  'sandwich-alone':
    'osd-sandwich vergleicht einen OSD mit allen seines Hosts, aber kein gewählter Host hat zwei OSDs, die up sind: andere wählen',
  'selects-none': '„{given}“ wählt keinen OSD',
  'size-512': 'eine Größe von {size} Byte ist kein Vielfaches von 512',
  'size-least': 'eine Größe von {size} Byte ist kleiner als die kleinste, 4096',
  'solo-unchosen': '„--solo“ {given}: {osd} ist keiner der gewählten OSDs, die up sind',
  'store-slow':
    'die Datenbank im Cluster hat nicht alles in {seconds:g} s geliefert: noch einmal versuchen, wenn sie weniger zu tun hat',
  'too-many-ids': '„--osds“ nennt zu viele IDs',
  'too-many-terms': '„--osds“ wählt mit zu vielen Teilen oder IDs',
  'too-parallel':
    '{count} OSDs würden gleichzeitig laufen, aber mgr/perf_bench/max_parallel ist {most}: weniger Hosts wählen',
  'wal-none':
    'osd-wal passt nicht: nötig sind OSDs mit Daten auf einer drehenden Platte, die kleine Schreiboperationen aufschieben, und kein gewählter OSD ist so',
  'worker-twice': '„--workers“ nennt {name} zweimal',
  'worker-unusable': 'Worker {name} ist {state:state}: {note}',
  'workers-list': '„--workers“ {given} ist weder „all“ noch eine Liste von Namen mit Kommas',
  'workers-most':
    '„--workers“ nennt {count} Worker, aber ein Lauf hat höchstens {most} Clients: weniger nennen',
  'workers-pool':
    '„--workers“ nutzen nur den Pool {pool}, weil ihr Schlüssel keinen anderen erlaubt',
  'import-job-failed': '{path} ist {error}: fio meldet, dass der Job gescheitert ist',
  'run-space':
    'zu wenig Platz: ein Durchgang darf ein Fünftel davon nutzen, das sind {bytes} Byte und weniger als ein Objekt je Client: siehe „ceph df“',
  'clients-memory':
    '{clients|Client|Clients} x {threads|Thread|Threads} x {size} Byte wären {mib} MiB im Speicher, höchstens {most} sind erlaubt: weniger „--clients“ oder „--threads“ oder eine kleinere „--size“ angeben',
} satisfies Partial<Record<Sentence, string>>;
