import { Sentence } from '../../generated/types';

/** Ceph's own alerts, explained; in German. */
export const deSaidAlerts = {
  'alert-goes-on': 'hält an',
  'alert-improving': 'alle Paare bessern sich vielleicht; Mittelwerte über bis zu 15 min',
  'alert-is-over': 'vorbei und noch nicht vergessen',
  'alert-last': 'das letzte gezählte Ereignis war vor {span:span}; {stays}',
  'alert-last-of':
    'das letzte gezählte Ereignis, von {most} der {all} OSDs, war vor {span:span}; {stays}',
  'alert-mean': 'Mittelwerte über bis zu 15 min, und nicht alle Paare bessern sich',
  'alert-names': 'Cephs Warnung {code} nennt es: {why}.',
  'alert-now': 'sie besteht nur, solange ihre Ursache anhält',
  'alert-ongoing': '{state}: {why}',
  'alert-over': 'kein gezähltes Ereignis, seit sie verfolgt wird, seit {span:span}; {stays}',
  'alert-renewed':
    '{stays}, und besteht länger: Es gab weitere Ereignisse, die kein Zähler nennt, etwa langsames Lesen von omap („slow operation observed“ in den Logs der OSDs)',
  'alert-short': 'kein Ereignis in den letzten {span:span}, mehr ist nicht bekannt; {stays}',
  'alert-stale': '{why}; {osds:osds} {osds#meldet|melden} sich nicht mehr, dort zuerst suchen',
  'alert-stands': 'besteht',
  'alert-state': 'ein Zustand, kein Ereignis: sie besteht, bis sich etwas daran ändert',
  'alert-stays': 'sie bleibt {span:span} nach dem letzten Ereignis',
  'alert-uncounted': 'kein Zähler sagt, wann es war; {stays}',
  'alert-unknown': 'nicht bekannt',
  'bluefs-spillover-action':
    '„ceph tell osd.ID compact“, dann ein größeres DB-Gerät, wenn es wiederkommt („ceph perf-bench doctor“).',
  'bluefs-spillover-meaning':
    'Ein Teil von RocksDB liegt auf dem langsamen Gerät. Das kann Wochen bestehen.',
  'bluefs-spillover-title': 'Datenbank läuft über',
  'bluestore-free-fragmentation-action':
    'Das OSD mit vergleichbaren vergleichen; ist es langsamer, Platz schaffen oder es neu aufsetzen. Sonst stummschalten.',
  'bluestore-free-fragmentation-meaning':
    'Der freie Platz des Geräts besteht aus kleinen Stücken, große Schreibzugriffe werden also geteilt. Über den Zustand des Geräts sagt das nichts, und es kann Wochen bestehen.',
  'bluestore-free-fragmentation-title': 'Zerstückelter freier Platz',
  'bluestore-slow-op-alert-action':
    'Hält es an: das Gerät (SMART, dmesg) und RocksDB ansehen („ceph perf-bench doctor“: SLOW_COMPACTION, DB_SPILLS_OVER). Ist es vorbei und das OSD so schnell wie vergleichbare: nichts, oder stummschalten („ceph health mute BLUESTORE_SLOW_OP_ALERT 1d“).',
  'bluestore-slow-op-alert-meaning':
    'Ein Gerät oder RocksDB brauchte mehr als bluestore_log_op_age (5 s) für eine Operation. Eine genügt (bluestore_slow_ops_warn_threshold), eine einzige Stockung sieht also wie eine dauernde aus.',
  'bluestore-slow-op-alert-title': 'Langsame Operationen in BlueStore',
  'device-data': 'das Datengerät',
  'device-db': 'das Gerät der Datenbank',
  'device-wal': 'das Gerät des Write-Ahead-Logs',
  'one-device': 'ein Gerät',
  'one-enclosure': 'ein Gehäuse',
  'one-host': 'ein Host',
  'one-model': 'ein Modell oder eine Art',
  'one-rack': 'ein Rack',
  'osd-fail-slow-action':
    'Mit den Befunden von perf_bench vergleichen; das Gerät ansehen (SMART, dmesg).',
  'osd-fail-slow-meaning':
    'Die eigene Erkennung des Managers vergleicht Commit-Latenzen und nennt diese Geräte jetzt langsam.',
  'osd-fail-slow-title': 'Langsam werdende Geräte',
  'osd-of-host': '{osd} auf {host}',
  'osds-are': '{osds:osds} {what}',
  'peers-alike': 'so schnell wie {osds#seine|ihre} Vergleichs-OSDs',
  'peers-none': 'kein OSD ist genannt',
  'peers-slower': 'langsamer als {osds#seine|ihre} Vergleichs-OSDs',
  'peers-suspect': 'verdächtig',
  'peers-unjudged': 'nicht beurteilbar („ceph perf-bench osd ls“ sagt warum)',
  'pings-action':
    'Verbindungen und Switch-Ports ansehen, die den Paaren gemeinsam sind: Fehler, MTU, Auslastung („ceph tell osd.ID dump_osd_network“); auch ein ausgelastetes oder angehaltenes OSD antwortet spät.',
  'pings-meaning':
    'Heartbeats zwischen OSDs dauern lange (mehr als eine Sekunde, wenn nichts anderes eingestellt ist). Paare vieler OSDs mit einem Host oder Rack deuten auf dessen Netz, Paare mit einem OSD auf dieses.',
  'pings-title': 'Langsame Heartbeats, {side}',
  'slow-ops-action':
    '„ceph tell osd.ID dump_ops_in_flight“ zeigt, worauf sie warten; laggy PGs und OSDs, die sich nicht mehr melden, nennen das schuldige OSD („ceph perf-bench laggy ls“).',
  'slow-ops-meaning':
    'Operationen warten gerade länger als osd_op_complaint_time (30 s): Clients hängen. Genannt sind die OSDs, die warten, oft auf ein anderes.',
  'slow-ops-title': 'Langsame Operationen',
  'spread-all': 'alle {count} OSDs: nicht ein Gerät, sondern etwas allen Gemeinsames',
  'spread-hosts': '{count} von {all} OSDs auf {hosts|Host|Hosts}',
  'spread-none': 'die Warnung nennt kein OSD',
  'spread-osd': 'ein OSD ({osd})',
  'spread-osds': '{count|OSD|OSDs} ({osds:osds})',
  'spread-shared': '{what} ({name}): {count} von {total|OSD|OSDs}',
  'stalled-action':
    'In dmesg nach „timeout“, „completion polled“ und E/A-Fehlern des Geräts suchen, und seine SMART-Daten ansehen; es tauschen, wenn Stockungen wiederkommen.',
  'stalled-meaning':
    'Ein Lesezugriff ({device}) dauerte Sekunden (bdev_stalled_read_warn_threshold: wie viele in der Lebensdauer der Warnung sie auslösen; eines, wenn nichts anderes eingestellt ist).',
  'stalled-title': 'Stockendes Lesen: {device}',
} satisfies Partial<Record<Sentence, string>>;
