/** What next about a finding, and what profiles measure, by the English words (schema/words.json). */
export const deSteps: Readonly<Record<string, string>> = {
  'Why it is judged so, and its latencies': 'Warum es so beurteilt ist, und seine Latenzen',
  'Where its operations spend their time, and whom they wait for':
    'Wo seine Operationen ihre Zeit verbringen, und auf wen sie warten',
  'What the drive counts: reallocated and pending sectors, media errors':
    'Was das Laufwerk zählt: umgelagerte und nicht lesbare Sektoren, Medienfehler',
  'The same from the drive itself, on {host}': 'Dasselbe vom Laufwerk selbst, auf {host}',
  'What the kernel says of it, on {host}': 'Was der Kernel darüber sagt, auf {host}',
  'Make it the last choice as primary: clients read from other copies, no data moves':
    'Es zur letzten Wahl als Primary machen: Clients lesen von anderen Kopien, keine Daten wandern',
  'If writes suffer too, let it hold less data (here a fifth less): data moves':
    'Wenn auch Schreibzugriffe leiden, es weniger Daten halten lassen (hier ein Fünftel weniger): Daten wandern',
  'Afterwards put back exactly what was before': 'Danach genau das zurücksetzen, was vorher war',
  'Its drive is {device} of {host}, with {drive_osds}':
    'Sein Laufwerk ist {device} von {host}, mit {drive_osds}',
  "Its drive is not known here: see in 'ceph osd metadata {osd}' and on its host which one it is, and whether other OSDs are on it":
    'Sein Laufwerk ist hier nicht bekannt: in „ceph osd metadata {osd}“ und auf seinem Host nachsehen, welches es ist und ob andere OSDs darauf sind',
  'The commands are about all of them: their own metadata name the same device, {shared}':
    'Die Befehle betreffen alle davon: Ihre eigenen Metadaten nennen dasselbe Gerät, {shared}',
  'The commands leave {perhaps} alone: a serial number or a name says that they are on the same drive, their own metadata do not; look before you pull it':
    'Die Befehle lassen {perhaps} in Ruhe: Eine Seriennummer oder ein Name sagt, dass sie auf demselben Laufwerk sind, ihre eigenen Metadaten nicht; vor dem Ziehen nachsehen',
  'It is in slot {slot} of enclosure {enclosure}':
    'Es steckt in Einschub {slot} von Gehäuse {enclosure}',
  "Its slot is not known: 'ceph-perf-bench facts --push' on its host tells it":
    'Sein Einschub ist nicht bekannt: „ceph-perf-bench facts --push“ auf seinem Host meldet ihn',
  'Whether all placement groups stay available without it':
    'Ob alle Placement Groups ohne es verfügbar bleiben',
  'Move its data to other OSDs': 'Seine Daten auf andere OSDs verlagern',
  'Repeat until it says that nothing depends on it any more':
    'Wiederholen, bis nichts mehr davon abhängt',
  'Or in place of these two: drain it, remove it, and keep its ID for the new drive':
    'Oder statt dieser beiden: es leeren, entfernen und seine ID für das neue Laufwerk behalten',
  'Stop it, on {host}': 'Es anhalten, auf {host}',
  'Keep its ID for the new drive; refused while anything depends on it':
    'Seine ID für das neue Laufwerk behalten; wird abgelehnt, solange etwas davon abhängt',
  "Light the LED of its slot; 'off' instead of 'on' when it is replaced":
    'Die LED seines Einschubs einschalten; nach dem Tausch „off“ statt „on“',
  "Its LED cannot be lit by 'ceph device light': the device ID of osd.{osd} is not known, or other drives have the same":
    'Seine LED lässt sich nicht mit „ceph device light“ einschalten: Die Geräte-ID von osd.{osd} ist nicht bekannt, oder andere Laufwerke haben dieselbe',
  'Its OSDs and how they compare': 'Seine OSDs im Vergleich',
  'What its settings and hardware may be': 'Was an Einstellungen und Hardware liegen kann',
  'Whether all placement groups stay available while they are stopped':
    'Ob alle Placement Groups verfügbar bleiben, während sie angehalten sind',
  "Stop everything on the host; 'exit' in place of 'enter' starts it again":
    'Alles auf dem Host anhalten; „exit“ statt „enter“ startet es wieder',
  'Keep their data where it is meanwhile': 'Ihre Daten so lange lassen, wo sie sind',
  'And afterwards': 'Und danach',
  'Who is compared with whom': 'Wer mit wem verglichen wird',
  'Enclosures, their parts and OSDs': 'Gehäuse, ihre Teile und OSDs',
  'Nothing to relieve: load taken off so many OSDs at once would overload the others':
    'Nichts zu entlasten: Die Last so vieler OSDs auf einmal würde die anderen überlasten',
  'Episodes, suspects and pools': 'Episoden, Verdächtige und Pools',
  'What it works on now': 'Woran es gerade arbeitet',
  'Whether it may be stopped: a restart ends what hangs in it':
    'Ob es angehalten werden darf: Ein Neustart beendet, was darin hängt',
  'Restart it': 'Es neu starten',
  'Restart it, on {host}': 'Es neu starten, auf {host}',
  'Whether it crashes': 'Ob es abstürzt',
  'Who reported it down, and when': 'Wer es wann als ausgefallen gemeldet hat',
  'Keep it down at its next fall, until the cause is found':
    'Es nach dem nächsten Ausfall unten lassen, bis die Ursache gefunden ist',
  'Let it come back': 'Es wiederkommen lassen',
  'Versions of the daemons: is an upgrade half done':
    'Versionen der Daemons: ist ein Upgrade halb fertig?',
  'Options that were changed lately': 'Kürzlich geänderte Optionen',
  'How full the OSDs are': 'Wie voll die OSDs sind',
  'Nothing to relieve: all OSDs of the cohort are slower, none has load to spare':
    'Nichts zu entlasten: Alle OSDs der Kohorte sind langsamer, keines hat etwas abzugeben',
  'Nothing to replace: what a whole cohort has in common is not one drive':
    'Nichts zu tauschen: Was einer ganzen Kohorte gemeinsam ist, ist nicht ein Laufwerk',
  'What OSDs spend on checksums': 'Was OSDs für Prüfsummen aufwenden',
  'The clocks of the cores, on {host}': 'Der Takt der Kerne, auf {host}',
  'What else runs there, on {host}': 'Was sonst dort läuft, auf {host}',
  'Error counters of links, and what they share':
    'Fehlerzähler von Verbindungen, und was ihnen gemeinsam ist',
  'Paths to disks': 'Pfade zu Platten',
  'The cable first, with the OSDs behind it stopped; the drive only if errors go on':
    'Zuerst das Kabel, bei angehaltenen OSDs dahinter; das Laufwerk nur, wenn die Fehler anhalten',
  'Error counters of media': 'Fehlerzähler von Medien',
  'It slot by slot': 'Es, Einschub für Einschub',
  'Nothing to relieve: load taken off all its OSDs at once would overload the others':
    'Nichts zu entlasten: Die Last aller seiner OSDs auf einmal würde die anderen überlasten',
  'Which paths are lost': 'Welche Pfade verloren sind',
  'The same on {host}': 'Dasselbe auf {host}',
  'And of NVMe drives': 'Und bei NVMe-Laufwerken',
  'Nothing to relieve: the disks work on over the paths that are left':
    'Nichts zu entlasten: Die Platten arbeiten über die übrigen Pfade weiter',
  "Cables of one path at a time; a host adapter with the host's OSDs stopped":
    'Kabel eines Pfades nach dem anderen; einen Host-Adapter bei angehaltenen OSDs des Hosts',
  'Where its level changed': 'Wo sich sein Niveau änderte',
  'What the doctor advises': 'Was der Doctor rät',
  'Nothing to relieve: the finding is about results of benches':
    'Nichts zu entlasten: Der Befund betrifft Ergebnisse von Messungen',
  'Nothing to replace: no part of the hardware is named':
    'Nichts zu tauschen: Kein Teil der Hardware ist genannt',
  'Its next run and its last result': 'Sein nächster Lauf und sein letztes Ergebnis',
  'Start nothing by it for now': 'Vorerst nichts mehr damit starten',
  'And again later': 'Und später wieder',
  'What is changed still, and why': 'Was noch geändert ist, und warum',
  'Put it back now': 'Jetzt zurücksetzen',
  'Each advice with its reason': 'Jeder Ratschlag mit seinem Grund',
  'The command that changes the setting is in the evidence and in the advice':
    'Der Befehl, der die Einstellung ändert, steht in den Belegen und im Ratschlag',
  'Nothing to replace: the finding is about a setting':
    'Nichts zu tauschen: Der Befund betrifft eine Einstellung',
  'The database, what was set aside, and backups':
    'Die Datenbank, was beiseitegelegt wurde, und Sicherungen',
  'Check all its pages and rows': 'Alle ihre Seiten und Zeilen prüfen',
  'What to do is in docs/store.md, for each kind of damage':
    'Was zu tun ist, steht für jede Art von Schaden in docs/store.md',
  'What fails, and the version to report': 'Was fehlschlägt, und die Version für die Meldung',
  'What is not looked at': 'Was nicht geprüft wird',
  'Start the module anew on another mgr': 'Das Modul auf einem anderen Manager neu starten',
  'What each mgr has, and on which host': 'Was jeder Manager hat, und auf welchem Host',
  'Nothing is lost while the active mgr stays the active one':
    'Nichts geht verloren, solange der aktive Manager der aktive bleibt',
  'On its host: the same files': 'Auf seinem Host: dieselben Dateien',
  'Then restart it there': 'Ihn dann dort neu starten',
  'Nothing that can be said without knowing which OSD it is: see the evidence':
    'Nichts, was sich sagen ließe, ohne zu wissen, welches OSD es ist: siehe die Belege',
  'The commands are for osd.{osd}; one after the other the same for {others}':
    'Die Befehle sind für osd.{osd}; nacheinander dasselbe für {others}',
  'The commands are for osd.{osd}; one after the other the same for {others} and {more} more':
    'Die Befehle sind für osd.{osd}; nacheinander dasselbe für {others} und {more} weitere',
  'the last round': 'dem letzten Lauf',
  'osd_bench limits': 'den Grenzen von osd_bench',
  '4 MiB writes, fresh objects: bandwidth': '4 MiB schreiben, neue Objekte: Bandbreite',
  '4 KiB random overwrites: IOPS': '4 KiB zufällig überschreiben: IOPS',
  '32 KiB random overwrites: between both': '32 KiB zufällig überschreiben: dazwischen',
  'one OSD alone, its host, alone again': 'ein OSD allein, sein Host, wieder allein',
  'deferred or not: where is the WAL?': 'aufgeschoben oder nicht: Wo liegt das WAL?',
  '4 MiB writes by many clients': '4 MiB schreiben, viele Clients',
  '4 MiB reads in order by many clients': '4 MiB der Reihe nach lesen, viele Clients',
  '4 MiB reads at random by many clients': '4 MiB zufällig lesen, viele Clients',
  'ever more 4 MiB writes: the knee': 'immer mehr Schreiben von 4 MiB: der Knick',
  'ever more 4 MiB random reads: the knee': 'immer mehr zufälliges Lesen von 4 MiB: der Knick',
};
