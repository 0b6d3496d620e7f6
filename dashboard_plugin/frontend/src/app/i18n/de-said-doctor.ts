import { Sentence } from '../../generated/types';

/** What the doctor advises, in German. */
export const deSaidDoctor = {
  'advice-bench-short':
    'die Messungen von Lauf {round} von {profile} waren zu kurz: {option} erlaubt {most} je Sekunde für 30 s, und diese OSDs schaffen weit mehr',
  'advice-clock-skew':
    '{summary}: Leases laufen zu früh oder zu spät ab, und Zeiten in Logs sind nicht vergleichbar',
  'advice-cpu-governor':
    'die Prozessoren von {hosts:list} haben den Governor {governor}: kleine Operationen enden, bevor der volle Takt erreicht ist',
  'advice-db-on-disk':
    '{osds:osds} {osds#hat seine|haben ihre} Datenbank auf der Platte selbst, während {others} von {all} OSDs auf Platten ein eigenes Gerät dafür haben: {osds#es wird|sie werden} langsamer sein; ein angehaltenes OSD kann eines bekommen',
  'advice-db-rotational':
    'die Datenbank von {osds:osds} liegt auf einem eigenen, aber drehenden Gerät, was nichts bringt; die Datenbank eines angehaltenen OSDs lässt sich verlegen',
  'advice-debug-build':
    '{osds:osds} {osds#läuft|laufen} mit einem Debug-Build: ohne Optimierung und mit zusätzlichen Prüfungen ist er bis zu fünfmal langsamer',
  'advice-debug-logging':
    '{option} von {who} ist {value}: jede Operation wird geloggt, was die OSDs bremst und Ergebnisse verfälscht',
  'advice-deep-c-states':
    'die Prozessoren von {hosts:list} nutzen Ruhezustände bis {state}: sie zu verlassen kostete in der Praxis 10 bis 20 % der Leistung',
  'advice-encrypted':
    '{options:list} {options#bevorzugt|bevorzugen} Verschlüsselung: im größten veröffentlichten Test kostete das ein Viertel des Lesedurchsatzes (750 GiB/s statt 1 TiB/s)',
  'advice-few-cores':
    '{hosts:list} {hosts#hat|haben} {hosts#|teils nur }{cores} Kerne je OSD, was die OSDs begrenzt: ein OSD schafft mit jedem Kern, den es nutzen darf, etwa 7.500 zufällige Lese- oder 3.500 zufällige Schreibzugriffe je Sekunde',
  'advice-iommu':
    'die IOMMU von {hosts:list} übersetzt jede Adresse ihrer NVMe-Laufwerke: in der Praxis gingen unter Last 77 % der Zeit in eine Sperre, und ein OSD fiel von 5.700 auf 520 MB/s; das Kernel-Argument iommu=pt (gesetzt mit grubby oder in der Konfiguration des Bootloaders) vermeidet das',
  'advice-mclock-capacity':
    'mClock hat eine falsche Kapazität von {osds:osds}: {option} von osd.{osd} ist {configured}, plausibel sind {low:.0f} bis {high:.0f}; sie begrenzt Clients und Recovery',
  'advice-mclock-range':
    '{rounds} gültige Läufe kommen für osd.{osd} auf {measured:.0f} IOPS, außerhalb der {low:.0f} bis {high:.0f}, in denen Ceph Werte seines eigenen Bench übernimmt; also nutzt mClock {configured} für {osds:osds}. Gesetzte Werte werden nicht gegen den Bereich geprüft',
  'advice-memory-target':
    '{osds:osds} {osds#darf|dürfen} {targets:gib} Speicher nutzen, aber {host} hat {memory:gib}: wenn er ausgeht, beendet der Kernel ein OSD',
  'advice-mgr-busy':
    'der neueste Blick der Überwachung dauerte {took:.1f} s bei einem Abstand von {every:.0f} s: der Manager ist überlastet, was auch das Dashboard bremst',
  'advice-mixed-releases':
    'OSDs laufen mit {count} Versionen: {releases:all}; ihre Leistung und ihre Zähler können sich unterscheiden',
  'advice-no-tcmalloc':
    '{osds:osds} {osds#nutzt|nutzen} {names:list} statt tcmalloc: Caches folgen osd_memory_target nur mit tcmalloc, der Speicherbedarf kann also darüber oder darunter liegen',
  'advice-no-wal-limit':
    '{option} von {osds:osds} ist ohne {limit} überschrieben: nach einem Tag oder mehr wachsen Write-Ahead-Logs auf etwa 100 GB, und Latenzen steigen; eine Änderung wirkt, wenn OSDs neu starten',
  'advice-numa-misses':
    '{hosts#|bis zu }{percent:.0f} % des Speichers von {hosts:list} liegt auf einem anderen NUMA-Knoten als gewünscht: OSDs anzuheften (osd_numa_node) war in der Praxis 16 bis 20 % schneller, und Ergebnisse schwankten um 1 % statt 5 %',
  'advice-old-crc32c':
    'Prüfsummen dauern lange, und {releases:list} berechnet sie mit crc32_iscsi_00; crc32_iscsi_01 in Version 20 war in der Praxis auf manchen Prozessoren 26 bis 43 % schneller und auf anderen gleich schnell',
  'advice-old-multipath':
    '{osds:osds} mit {releases:list} {osds#ist|sind} auf einem Host mit Multipath-Geräten: ceph-volume vor 18.2.1 nennt vielleicht einzelne Pfade oder nichts, ein neues OSD nutzt dann vielleicht nur einen Pfad',
  'advice-scrub-off':
    '{flags:list} {flags#ist|sind} gesetzt, obwohl kein Lauf es verlangt: ohne Scrubs bleiben beschädigte Daten unentdeckt',
  'advice-slow-checksum':
    'ein Kern von {host} berechnet CRC32C mit {rate:.1f} GB/s, andere {model} mit {peers:.1f}: er ist gedrosselt, ausgelastet oder anders eingestellt',
  'advice-slow-compaction':
    'Commits von {osds:osds} warten auf RocksDB, während es Tabellen schreibt, nicht auf den Flush des Geräts: {seconds:.0f} s der letzten 100 (osd.{worst}). Die Compaction kommt nicht nach (in Paketen ohne Optimierung ist sie dreimal langsamer), oder das Gerät der Datenbank hängt',
  'advice-spills-over':
    'bis zu {slow:gib} der Datenbank von {osds:osds} liegen auf dem langsamen Gerät: Zugriffe dort sind so langsam wie dieses',
  'advice-stalled-reads':
    '{summaries:clauses}: Stockungen von etwa 30 s deuten auf verpasste Interrupts („completion polled“ in dmesg), andere auf ein sterbendes Laufwerk',
  'advice-suicide-timeout':
    'ein NVMe-Laufwerk, das einen Interrupt verpasst, hängt {hangs:.0f} s, aber {osds:osds} {osds#würde|würden} sich erst nach {timeout:.0f} s beenden; bis dahin markiert niemand ein solches OSD als „out“',
  'advice-swap':
    '{hosts:list} {hosts#nutzt|nutzen} Swap ({hosts#|bis zu }{used:mib}): oft geht einem NUMA-Knoten der Speicher aus, während ein anderer noch welchen hat; OSDs anheften (osd_numa_node), statt Swap abzuschalten',
  'advice-too-many-pgs':
    'OSDs haben {pgs:.0f} Placement Groups (Median), {option} ist {target:.0f}: jede braucht Speicher und verlängert das Peering nach einem Ausfall',
  'advice-uneven-pgs':
    '{osds:osds} {osds#hat|haben} bis zu {most} Placement Groups, die anderen der Klasse {class} {median:.0f} (Median): entsprechend mehr Arbeit, die den ganzen Pool bremst',
  'another-allocator': 'einen anderen Allokator',
  'config-risks': '{advice} (und {more} weitere: „ceph perf-bench doctor“)',
  'count-of': '{count} mit {release}',
  'mclock-measured': '{configured}, gemessen {measured:.0f}',
  'writes-each': '{count:.0f} Schreibzugriffe',
} satisfies Partial<Record<Sentence, string>>;
