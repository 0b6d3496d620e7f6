/** What kinds of findings mean and what to do, by the English words (model/finding_kinds.py). */
export const deKinds: Readonly<Record<string, string>> = {
  'Slow OSD': 'Langsames OSD',
  'The OSD takes longer than OSDs of the same kind for the same work, for so long that chance, load and our own benches are ruled out.':
    'Das OSD braucht für dieselbe Arbeit länger als OSDs derselben Art, und das so lange, dass Zufall, Last und eigene Messungen ausscheiden.',
  "Look at the device (SMART, cabling, a write cache that is off) and at what else runs on its host; 'ceph perf-bench osd show ID' explains the verdict.":
    'Das Gerät ansehen (SMART, Kabel, ein abgeschalteter Schreib-Cache), und was sonst auf seinem Host läuft; „ceph perf-bench osd show ID“ erklärt das Urteil.',
  'Slow host': 'Langsamer Host',
  'Most OSDs of the host are slower than those of other hosts, so the cause is the host and not one of its devices. Its OSDs get no findings of their own.':
    'Die meisten OSDs des Hosts sind langsamer als die anderer Hosts, die Ursache ist also der Host und nicht eines seiner Geräte. Seine OSDs bekommen keine eigenen Befunde.',
  'Look at its controller, network, CPU frequency, memory and at what else runs there.':
    'Controller, Netz, CPU-Takt und Speicher ansehen, und was sonst dort läuft.',
  'Slow enclosure, rack or cohort': 'Langsames Gehäuse, Rack oder langsame Kohorte',
  'What these OSDs have in common makes them slow: an enclosure, a rack, a kind of device, their position on several hosts, or a job that begins there at once. Their hosts and OSDs get no findings of their own.':
    'Was diesen OSDs gemeinsam ist, macht sie langsam: ein Gehäuse, ein Rack, eine Art von Gerät, ihre Position auf mehreren Hosts, oder ein Job, der dort gleichzeitig beginnt. Ihre Hosts und OSDs bekommen keine eigenen Befunde.',
  "Look at the enclosure, its cables and expanders, or at the rack's switch and power; for positions and hosts, at jobs (cron, trim, backups, patrol reads), firmware and controllers.":
    'Das Gehäuse mit Kabeln und Expandern ansehen, oder Switch und Strom des Racks; bei Positionen und Hosts die Jobs (cron, trim, Sicherungen, Patrol Reads), Firmware und Controller.',
  'Laggy placement groups': 'Laggy Placement Groups',
  'A PG answers no reads while it is laggy: its primary waits for an OSD that does not renew its lease in time. Clients hang meanwhile, though the cluster may look healthy.':
    'Eine laggy PG beantwortet keine Lesezugriffe: Ihr Primary wartet auf ein OSD, das seine Lease nicht rechtzeitig erneuert. Clients hängen währenddessen, obwohl der Cluster gesund aussehen kann.',
  "Look at the OSD that is named; 'ceph perf-bench laggy ls' lists the episodes and suspects.":
    'Das genannte OSD ansehen; „ceph perf-bench laggy ls“ zeigt die Episoden und Verdächtigen.',
  'Flapping OSD': 'OSD kommt und geht',
  "OSDs went down and came back three times or more within six hours. Each time their placement groups peer anew and clients wait, and no health check of Ceph's stays.":
    'OSDs sind in sechs Stunden dreimal oder öfter ausgefallen und wiedergekommen. Jedes Mal verbinden sich ihre Placement Groups neu (Peering) und Clients warten, und keine Warnung von Ceph bleibt davon zurück.',
  "Look at the OSD's log ('wrongly marked me down', crashes: 'ceph crash ls'), at the memory of its host, and at the network between it and the OSDs that report it ('ceph log last 100 info cluster').":
    'Das Log des OSDs ansehen („wrongly marked me down“, Abstürze: „ceph crash ls“), den Speicher seines Hosts, und das Netz zwischen ihm und den OSDs, die es melden („ceph log last 100 info cluster“).',
  'Cohort slower than before': 'Kohorte langsamer als früher',
  'All OSDs of a cohort (or of all cohorts) take longer than they did before at equal load; none stands out against its peers. The newest two days are compared with hours of like load in the month before, the newest week with days of like load more than four weeks ago. From 1.2 times on it is an info, from 1.5 times on a warning. It ends when the cohort is below 1.1 times again, or when it has been open for 14 days (4 weeks for one that was found by days): then this is its level, and it is compared with that.':
    'Alle OSDs einer Kohorte (oder aller Kohorten) brauchen länger als früher bei gleicher Last; keines fällt gegen seine Peers auf. Die neuesten zwei Tage werden mit Stunden ähnlicher Last im Monat davor verglichen, die neueste Woche mit Tagen ähnlicher Last vor mehr als vier Wochen. Ab dem 1,2-Fachen ist es ein Hinweis, ab dem 1,5-Fachen eine Warnung. Er endet, wenn die Kohorte wieder unter dem 1,1-Fachen liegt, oder wenn er 14 Tage offen war (4 Wochen, wenn er nach Tagen gefunden wurde): Dann ist das ihr Normalwert, mit dem weiter verglichen wird.',
  "Look at what changed when it began: the evidence names changes of Ceph's version, of options, of the fill and of the number of OSDs. The firmware of drives and controllers, the kernel and the network are not recorded. After deletes and at a high fill look at the fragmentation ('ceph daemon osd.ID bluestore allocator score block').":
    'Ansehen, was sich zu Beginn geändert hat: Die Belege nennen Änderungen der Ceph-Version, von Optionen, des Füllstands und der Zahl der OSDs. Die Firmware von Laufwerken und Controllern, der Kernel und das Netz werden nicht aufgezeichnet. Nach dem Löschen vieler Daten und bei hohem Füllstand die Fragmentierung ansehen („ceph daemon osd.ID bluestore allocator score block“).',
  'Checksum hotspot': 'Viel Zeit für Prüfsummen',
  'Op threads spend much of their time on checksums, or compute them far slower than peers with the same processor.':
    'Op-Threads verbringen viel Zeit mit Prüfsummen, oder berechnen sie weit langsamer als andere mit demselben Prozessor.',
  "Look at the clocks, the load and the limits of the host's cores (cpupower frequency-info, top); 'ceph perf-bench crc ls' has the figures.":
    'Takt, Last und Grenzen der Kerne des Hosts ansehen (cpupower frequency-info, top); „ceph perf-bench crc ls“ hat die Zahlen.',
  'Link errors': 'Fehler von Verbindungen',
  'Links to disks (SAS, SATA, PCIe) count new CRC or transfer errors. Operations are repeated, which costs latency before it costs data.':
    'Verbindungen zu Platten (SAS, SATA, PCIe) zählen neue CRC- oder Übertragungsfehler. Operationen werden wiederholt, was Latenz kostet, bevor es Daten kostet.',
  'Reseat or replace the cable before the disk; look first at what several links share.':
    'Erst das Kabel neu stecken oder tauschen, dann die Platte; zuerst ansehen, was mehreren Verbindungen gemeinsam ist.',
  'Media errors': 'Medienfehler',
  'Disks count new unreadable or reallocated sectors or say that they fail, or OSDs had to repeat reads.':
    'Platten zählen neue nicht lesbare oder umgelagerte Sektoren oder melden ihren Ausfall, oder OSDs mussten Lesezugriffe wiederholen.',
  "Look at 'smartctl -x' of the disk, and replace it if the count keeps growing.":
    '„smartctl -x“ der Platte ansehen, und sie tauschen, wenn die Zahl weiter wächst.',
  'Enclosure fault': 'Fehler eines Gehäuses',
  'Something that OSDs of this enclosure have in common is broken or about to break: power, a cable, an expander or a slot.':
    'Etwas, das OSDs dieses Gehäuses gemeinsam haben, ist defekt oder wird es bald: Strom, ein Kabel, ein Expander oder ein Einschub.',
  "'ceph perf-bench enclosure show ID' shows it slot by slot.":
    '„ceph perf-bench enclosure show ID“ zeigt es Einschub für Einschub.',
  'Lost paths to disks': 'Verlorene Pfade zu Platten',
  'Disks are reached over fewer paths than before. They work on, and stop when the last path goes.':
    'Platten werden über weniger Pfade erreicht als früher. Sie arbeiten weiter und hören auf, wenn der letzte Pfad ausfällt.',
  "Check cables and host adapters, and what 'multipath -ll', for NVMe drives 'nvme list-subsys', says on the host.":
    'Kabel und Host-Adapter prüfen, und was „multipath -ll“, bei NVMe „nvme list-subsys“, auf dem Host sagt.',
  'Performance regression': 'Leistung gesunken',
  'Rounds of this profile have a lower level than rounds before, beyond their own spread.':
    'Läufe dieses Profils liegen auf einem niedrigeren Niveau als frühere, über ihre eigene Streuung hinaus.',
  "'ceph perf-bench profile history NAME' shows where the level changed: compare the rounds before and after, and what was changed between them.":
    '„ceph perf-bench profile history NAME“ zeigt, wo sich das Niveau geändert hat: die Läufe davor und danach vergleichen, und was dazwischen geändert wurde.',
  'Scheduled round did not start': 'Geplanter Lauf begann nicht',
  'No run of the schedule could start in its window; the reason is in the evidence.':
    'In seinem Zeitfenster konnte kein Lauf des Zeitplans beginnen; der Grund steht in den Belegen.',
  'Remove the reason, widen the window, or pause the schedule.':
    'Den Grund beheben, das Zeitfenster vergrößern oder den Zeitplan anhalten.',
  'Settings not restored': 'Einstellungen nicht zurückgesetzt',
  'No round runs, and settings of the cluster that a round changed are not restored.':
    'Es läuft kein Lauf, und Einstellungen des Clusters, die ein Lauf geändert hat, sind nicht zurückgesetzt.',
  "Run the commands of the finding, or 'ceph-perf-bench restore' on any host with an admin key.":
    'Die Befehle des Befunds ausführen, oder „ceph-perf-bench restore“ auf einem Host mit einem Admin-Schlüssel.',
  'Risky setting': 'Riskante Einstellung',
  'A setting of the cluster or of a host puts data or service at risk.':
    'Eine Einstellung des Clusters oder eines Hosts gefährdet Daten oder den Betrieb.',
  "'ceph perf-bench doctor' says why, and which command changes it.":
    '„ceph perf-bench doctor“ sagt, warum, und welcher Befehl sie ändert.',
  'Database damaged or away': 'Datenbank beschädigt oder nicht erreichbar',
  'What rounds, schedules and the watch store is damaged, was lost, is of a newer version or has not answered for minutes, rows of it cannot be read, or it takes 90 % of the space that it may take and nothing of it may be removed. The message says which.':
    'Was Läufe, Zeitpläne und die Überwachung speichern, ist beschädigt, ging verloren, stammt von einer neueren Version oder antwortet seit Minuten nicht, Zeilen davon sind nicht lesbar, oder es belegt 90 % des erlaubten Platzes und nichts davon darf entfernt werden. Der Befund sagt, was davon.',
  "'ceph perf-bench store status' shows the database, what was set aside and the backups; docs/store.md says for each kind of damage what to do.":
    '„ceph perf-bench store status“ zeigt die Datenbank, was beiseitegelegt wurde und die Sicherungen; docs/store.md sagt zu jeder Art von Schaden, was zu tun ist.',
  'Standby mgr without this module': 'Standby-Manager ohne dieses Modul',
  'For ten minutes or more a standby mgr has not had this module, has had other files of it than the active mgr, or could not load it. If it becomes active, schedules, the watch and these health checks stop without a word, or another version goes on.':
    'Seit zehn Minuten oder länger hat ein Standby-Manager dieses Modul nicht, hat andere Dateien davon als der aktive Manager oder konnte es nicht laden. Wird er aktiv, hören Zeitpläne, Überwachung und diese Warnungen ohne ein Wort auf, oder eine andere Version macht weiter.',
  "Install the same files on its host ('ceph-perf-bench install', docs/install.md), then restart that mgr.":
    'Auf seinem Host dieselben Dateien installieren („ceph-perf-bench install“, docs/install.md), dann diesen Manager neu starten.',
  'Part of this module fails': 'Ein Teil dieses Moduls schlägt fehl',
  'For five minutes or more a part of this module has failed whenever it ran, or its thread has shown no sign of life. The other parts go on. That there are no findings of the kinds that the part looks for does not mean that all is well. The message names the part, what is lost meanwhile and the error. It ends by itself once the part has gone well for 90 s; the doctor, which looks every ten minutes, for 15 min, facts of the orchestrator for 90 min.':
    'Seit fünf Minuten oder länger schlug ein Teil dieses Moduls bei jedem Versuch fehl, oder sein Thread gab kein Lebenszeichen. Die anderen Teile laufen weiter. Dass es keine Befunde der Arten gibt, nach denen der Teil sucht, heißt nicht, dass alles in Ordnung ist. Die Meldung nennt den Teil, was so lange fehlt, und den Fehler. Sie endet von selbst, wenn es 90 s gut ging; beim Doctor, der alle zehn Minuten prüft, 15 min, bei Fakten des Orchestrators 90 min.',
  "Look in the log of the active mgr for the line that ends with 'failed' and names the part, and at the traceback below it. 'ceph mgr fail' starts the module anew on another mgr. If the part fails there, too, report both with the version ('ceph perf-bench status').":
    'Im Log des aktiven Managers die Zeile suchen, die mit „failed“ endet und den Teil nennt, und den Traceback darunter. „ceph mgr fail“ startet das Modul auf einem anderen Manager neu. Schlägt der Teil auch dort fehl, beides mit der Version („ceph perf-bench status“) melden.',
};
