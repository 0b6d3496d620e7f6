import { Sentence } from '../../generated/types';

/** Findings about PGs, cohorts, checksums, links, paths, enclosures, the database; in German. */
export const deSaidHardware = {
  'bad-parts': '{parts:list}',
  both: '{parts:clauses}',
  'cohort-ratio': '{cohort} ×{ratio:.2f}',
  'crc-class':
    'die meisten OSDs der Klasse {class} verbringen {percent:.0f} % oder mehr der Zeit ihrer Op-Threads mit Prüfsummen gelesener Daten: mehr Kerne oder eine Version mit schnellerem CRC32C würden helfen',
  'crc-host':
    '{count|OSD|OSDs} von Host {host} verbrachten bis zu {percent:.0f} % der Zeit ihrer Op-Threads mit Prüfsummen gelesener Daten ({osds:osds}): Takt und Last der Kerne ansehen (eine untere Schranke: andere Prüfsummen sind nicht gezählt)',
  'crc-osd':
    'osd.{osd} ({host}) verbrachte {percent:.0f} % der Zeit seiner {threads} mit Prüfsummen gelesener Daten, {seconds:.0f} s lang; vergleichbare {peers} (eine untere Schranke: andere Prüfsummen sind nicht gezählt)',
  'crc-rates': '{rate:.2g} GB/s, vergleichbare mit {peers:.2g}',
  'crc-slow-host':
    'die OSDs von Host {host} berechnen Prüfsummen mit {rates}, bei gleichem Prozessor: seine Kerne sind ausgelastet, gedrosselt oder anders eingestellt (cpupower frequency-info, top)',
  'crc-slow-osd':
    'osd.{osd} ({host}) berechnet Prüfsummen mit {rates} auf demselben Host: es bekommt zu wenig von seinen Kernen (top, seine cgroup, sein NUMA-Knoten)',
  'disk-of-osds': '{disk} von {osds:osds}',
  'disk-with-osds': '{disk} mit {osds:osds}',
  drift:
    'die OSDs von {cohort} brauchen {ratio:.2f}-mal so lange ({channel:channel}) wie früher bei gleicher Last ({now:ms} gegen {before:ms}), seit {since:time}; {why}',
  'drift-accepted':
    'Seine Kohorte wird seit {since:time} mit ihrer Vergangenheit verglichen: eine Verschlechterung auf das {ratio:.2f}-Fache hielt so lange an, dass sie zum Normalwert wurde.',
  'drift-all':
    'die OSDs aller {count} Kohorten sind seit {since:time} bei gleicher Last langsamer als früher: {cohorts:list}; {why}',
  'drift-changes': 'inzwischen geändert: {changes:list}',
  'drift-no-change':
    'an {osds|OSD|OSDs} wurde keine Änderung der Ausstattung gesehen; Firmware wird nicht betrachtet',
  'drift-of-osd':
    'Seine ganze Kohorte braucht {ratio:.2f}-mal so lange ({channel:channel}) wie früher bei gleicher Last, seit {since:time}.',
  'drift-setup-unknown': 'was sich vor {at:time} geändert hat, ist nicht bekannt',
  enclosure: 'Gehäuse {name}: {reasons:clauses}',
  'enclosure-fallen':
    '{count} seiner {all} OSDs fielen innerhalb von Minuten aus ({osds:osds}): Strom und Kabel prüfen, und dmesg auf seinen Hosts',
  'enclosure-gone':
    '{host} meldet Fakten, sieht es aber nicht mehr, und {osds:osds} darin {osds#ist|sind} ausgefallen: Strom und Kabel prüfen, dann „{command}“ auf {host} ausführen',
  'enclosure-named': 'Gehäuse {name}',
  'enclosure-paths': '{host} erreicht es über {now} von {most} Pfaden',
  errors: '{name} innerhalb eines Tages: {errors:list}; {advice}',
  'errors-backup': 'der Notstrom ihres Speichers ist ausgefallen',
  'errors-cables':
    'übliche Ursachen sind Kabel, Stecker und Einschübe: erst das Kabel neu stecken oder tauschen, dann die Platte',
  'errors-count': '{errors} ({count})',
  'errors-crc': 'CRC-Fehler der Verbindung',
  'errors-disparity': 'Disparity-Fehler',
  'errors-dword': 'ungültige Dwords',
  'errors-eio': 'endgültig gescheiterte Lesezugriffe',
  'errors-failing': 'die Platte meldet, dass sie ausfällt',
  'errors-grown': 'von der Platte umgelagerte schlechte Sektoren',
  'errors-look-media':
    '„smartctl -x“ der Platte ansehen, und sie tauschen, wenn die Fehler anhalten',
  'errors-media': 'von der Platte gezählte Medienfehler',
  'errors-of': '{errors} von {who} ({count})',
  'errors-pcie-corrected': 'PCIe-Fehler, die die Verbindung korrigiert hat',
  'errors-pcie-fatal': 'PCIe-Fehler, die die Verbindung unterbrachen',
  'errors-pcie-nonfatal': 'PCIe-Fehler, die nichts korrigiert hat',
  'errors-pending': 'nicht lesbare Sektoren',
  'errors-persistent': 'ihr persistenter Speicherbereich ist nicht mehr zuverlässig',
  'errors-read-only': 'ihr Medium lässt sich nur noch lesen',
  'errors-reliability': 'sie meldet, dass sie nicht mehr zuverlässig ist',
  'errors-reset': 'gescheiterte Resets des Phys',
  'errors-retries': 'erst beim Wiederholen gelungene Lesezugriffe',
  'errors-says': '{errors} ({who})',
  'errors-shared': 'alle über {shared}: erst das Kabel neu stecken oder tauschen, dann die Platte',
  'errors-spare': 'ihre Reserveblöcke sind verbraucht',
  'errors-sync': 'Synchronisationsverluste',
  'errors-temperature': 'ihre Temperatur ist außerhalb der Grenzen',
  expander: 'Expander {name}',
  'from-to': '{name} von {was} auf {now}',
  'host-named': 'Host {name}',
  'laggy-host': 'die OSDs von {host} machen Placement Groups laggy ({how}): {osds:osds}',
  'laggy-nobody':
    'Placement Groups sind laggy ({how}), und kein OSD fällt auf: Cluster-Netz und Messenger-Threads ansehen',
  'laggy-osd': '{osd} macht Placement Groups laggy: {percent:.0f} % davon liegen darauf ({how})',
  'laggy-osd-silent':
    '{osd} macht Placement Groups laggy: {percent:.0f} % davon liegen darauf, und es meldete sich währenddessen nicht ({how})',
  'laggy-peak': 'bis zu {peak} zugleich',
  'laggy-more': '{how}, {count|weiteres OSD ist|weitere OSDs sind} wie die genannten',
  'laggy-rounds': '{how}, während Lauf {rounds:all} im Gange war',
  'laggy-stuck':
    '{pgs} hängen: über 5 min unverändert laggy, obwohl ihre OSDs in Ordnung sind: ein bekannter Fehler (Tracker 53806, 80404), kein langsames OSD; „ceph pg ls laggy“ nennt sie, „ceph pg repeer PGID“ oder ein Neustart ihres primären OSDs befreit sie',
  'laggy-times': '{how}, {times}-mal in {span:span}',
  'mgr-fails': 'kann dieses Modul nicht ausführen ({error})',
  'mgr-has': 'hat {build}',
  'mgr-lacks': 'hat dieses Modul nicht',
  'of-osds': '{part} ({osds:osds})',
  'op-threads': 'Op-Threads',
  'op-threads-of': '{count|Op-Thread|Op-Threads}',
  'osd-on-host': 'osd.{osd} auf {host}',
  'part-is': '{part}: {status:state}',
  paths: '{host}: {what:list} ({disks:list})',
  'paths-active': '{active|Pfad|Pfade}',
  'paths-bare': '{count|Platte wird|Platten werden} über nur einen ihrer Pfade genutzt',
  'paths-degraded': '{count|Platte hat einen Pfad|Platten haben Pfade} verloren',
  'paths-enclosure': 'alle aus Gehäuse {id}',
  'paths-failed': '{count|Platte hat|Platten haben} keinen Pfad',
  'paths-flapping': '{count|Platte hat|Platten haben} Pfade, die kommen und gehen',
  'paths-hba': 'keine davon hat einen Pfad über SCSI-Host {hba}',
  'paths-of': '{active} von {all|Pfad|Pfaden}',
  'paths-shared': '{what}: {shared}',
  percent: '{percent:.0f} %',
  pgs: 'Placement Groups',
  'pgs-of-more-pools': 'Placement Groups der Pools {pools:all} und {more} weiterer',
  'pgs-of-pools': 'Placement Groups {pools#des Pools|der Pools} {pools:all}',
  'rados-silent': 'RADOS antwortet nicht',
  rest: '{more} weitere Ziele ({kind}) haben denselben Fehler, {total} insgesamt: so viele auf einmal haben eine gemeinsame Ursache',
  'scsi-host': 'SCSI-Host {name}',
  slot: 'Einschub {slot}',
  'slot-empty': 'Einschub {slot} ist leer und enthielt {osds:osds}',
  'standby-mgr': 'mgr.{name} {has}; der aktive mgr.{active} hat {build}',
  'store-away':
    'die Datenbank antwortet seit {minutes:.0f} min nicht ({problem}): kein Lauf kann beginnen, und Zeitpläne warten; siehe „ceph -s“: sind Placement Groups inaktiv oder OSDs voll?',
  'store-damaged-again':
    'die Datenbank ist beschädigt ({damage}): sie wurde schon dreimal an einem Tag ersetzt: suchen, was sie beschädigt, dann „ceph perf-bench store reset“',
  'store-largest': '{rounds} ({largest:all})',
  'store-newer': '{problem}; oder mit „ceph perf-bench store reset“ neu beginnen',
  'store-rows-most': 'mindestens {rows}',
  'store-past':
    'die Datenbank {file} ging verloren oder war beschädigt ({event}: {why}) und ist durch eine leere ersetzt; ihr Verlauf ist weg, wenn keine Sicherung zurückgeholt wird: „ceph perf-bench store status“ nennt sie. Das steht 14 Tage hier, oder bis zum Zurückholen oder Zurücksetzen',
  'store-rounds': '{count|Lauf|Läufe}',
  'store-rows':
    '{count|Zeile der Datenbank ist|Zeilen der Datenbank sind} nicht lesbar und {count#wird|werden} übergangen: {rows:list}. Was zu tun ist, steht in docs/store.md',
  'store-size':
    'die Datenbank belegt {used} MiB der {most} MiB von keep_store_mib, und die Aufbewahrung darf nichts davon entfernen ({what}): keep_store_mib erhöhen, die Baseline aufheben oder Läufe mit „round rm“ entfernen, oder Latenzen weniger Tage behalten (keep_5min_days und andere)',
} satisfies Partial<Record<Sentence, string>>;
