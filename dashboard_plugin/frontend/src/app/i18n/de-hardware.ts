import { enHardware } from './en-hardware';

/** The German sentences about advice, hardware and clients; see de.ts. */
export const deHardware: Readonly<Record<keyof typeof enHardware, string>> = {
  'nav.doctor': 'Doctor',

  'nav.hardware': 'Hardware',

  'command.copy': 'Kopieren',
  'command.copy.named': '{text} kopieren',
  'command.copied': 'Kopiert',

  'doctor.title': 'Doctor',
  'doctor.advice': 'Ratschläge',
  'doctor.help':
    'Was an Einstellungen und Hosts nicht stimmen könnte, und der Befehl, der es behebt. Von selbst wird nichts geändert.',
  'doctor.none':
    'Kein Rat nötig: Was sich über Einstellungen und Hosts wissen lässt, ist, wie es sein soll.',
  'doctor.more': 'Mehr zeigen ({more})',
  'doctor.rest': '{count} weitere, weniger ernst; alle nennt',
  'doctor.evidence': 'Belege und Quelle',
  'doctor.osds': 'OSDs ({count})',
  'doctor.source': 'Bekannt aus',

  'enclosures.title': 'Gehäuse',
  'enclosures.all': 'Alle Gehäuse',
  'enclosures.down': 'Down',
  'enclosures.none': 'Kein Gehäuse ist bekannt: Kein Host hat von einem berichtet.',
  'tell.push': 'Auf jedem Host, oder durch den systemd-Timer, der mit dem Werkzeug kommt:',
  'tell.import': 'Oder aus einer Datei, die auf dem Host erstellt wurde:',

  'enclosure.title': 'Gehäuse {id}',
  'enclosure.id': 'ID',
  'enclosure.serial': 'Seriennummer',
  'enclosure.seen-by': 'Gesehen von',
  'enclosure.paths.of': '{host} (Pfade: {count})',
  'enclosure.missing-on': 'Nicht mehr gesehen von',
  'enclosure.osds': '{osds}, davon down: {down}',
  'enclosure.slots': 'Slots',
  'enclosure.slots.of': 'Slots von Gehäuse {id}',
  'enclosure.no-slots':
    'Bekannt sind nur seine OSDs, durch die CRUSH-Map oder ihre Geräte; in welchem Slot jedes steckt, sagen die Fakten seiner Hosts.',
  'enclosure.slot': 'Slot',
  'enclosure.slot.is': 'Slot {slot}',
  'enclosure.slot.about': 'Slot {slot}: {said}',
  'enclosure.device.is': 'Gerät {device}',
  'enclosure.empty': 'leer',
  'enclosure.fault': 'Fehler',
  'enclosure.osd-state': 'OSD ist',
  'enclosure.slot-state': 'Slot ist',
  'enclosure.fault-light': 'Fehler',
  'enclosure.as-table': 'Als Tabelle',
  'drive.db-of': 'DB von {count} OSDs',
  'enclosure.parts': 'Andere Teile',

  'hosts.title': 'Hosts',
  'hosts.help':
    'Was Hosts über sich berichtet haben: Fakten, die älter als zwei Tage sind, belasten niemanden.',
  'hosts.collected': 'Berichtet',
  'hosts.age': 'Alter',
  'hosts.disks': 'Datenträger',
  'hosts.multipath': 'Multipath-Geräte',
  'hosts.never': 'nie',
  'hosts.stale': 'alt',

  'paths.title': 'Pfade',
  'paths.none':
    'Kein Datenträger mit mehreren Pfaden ist bekannt: Kein Host hat von einem berichtet.',
  'paths.active': 'Aktiv',
  'paths.active.help':
    'Pfade, die Daten tragen, von denen, die es sein sollten: die meisten, die gesehen wurden, oder was dem Host vorgegeben ist.',
  'paths.active.of': '{active} von {expected}',
  'paths.drops': 'Ausfälle',
  'paths.drops.help': 'Wie oft innerhalb eines Tages Pfade ausfielen; ab 3 flattern sie.',
  'paths.paths': 'Pfade',
  'paths.state.help':
    '„umgeht Multipath“: Das OSD benutzt einen Pfad eines Datenträgers, der mehrere hat.',
  'paths.wwid': 'WWID',

  'crc.title': 'Prüfsummen',
  'crc.none': 'Über Prüfsummen ist noch nichts bekannt.',
  'crc.share': 'Anteil',
  'crc.share.help': 'An der Zeit der Op-Threads des OSDs, in seinem neuesten Zeitfenster.',
  'crc.peers': 'Peers',
  'crc.hour': 'Letzte Stunde',
  'crc.hour.label': 'Anteil in der letzten Stunde: höchstens {most}, zuletzt {last}',
  'crc.peak': 'Höchster',
  'crc.peak.help': 'Höchster Anteil der letzten 24 Stunden.',
  'crc.since': 'Heiß seit',
  'crc.rate': 'GiB/s',
  'crc.rate.help': 'Vom Gerät gelesene Bytes je Sekunde Prüfsummenzeit, im OSD.',
  'crc.rate-peers': 'Peers GiB/s',
  'crc.rate-hosts': 'Hosts mit dieser CPU',
  'crc.threads': 'Op-Threads',
  'crc.links': 'Fehler von Verbindungen',
  'crc.links.none': 'Keine Verbindung zählt einen Fehler, soweit OSDs und Hosts berichten.',
  'crc.media': 'Fehler von Medien',
  'crc.media.none': 'Kein Medium zählt einen Fehler, soweit OSDs und Hosts berichten.',
  'crc.per-day': 'In 24 h',
  'crc.per-day.help': 'In den letzten 24 Stunden gezählt; – wo es nur eine Ablesung gibt.',
  'crc.count': 'Insgesamt',
  'crc.kind': 'Fehler',
  'crc.place': 'Wo',
  'crc.growing': 'Wächst seit',
  'crc.hosts': 'Geschwindigkeit der Prüfsummen nach Host',
  'crc.cpu': 'CPU',
  'crc.core': 'Ein Kern',
  'crc.core.help': 'CRC32C eines Kerns in GiB/s, wie das Werkzeug auf dem Host es gemessen hat.',

  'workers.title': 'Worker',
  'workers.help':
    'Hosts, die darauf warten, Clients von Läufen auszuführen, wo sonst das Netzwerk oder die Prozessoren eines einzigen Hosts die Grenze wären.',
  'workers.none': 'Kein Worker wartet: Clients laufen neben dem aktiven Manager.',
  'workers.start':
    'Auf einem Host mit dem Keyring des Workers (welche Rechte er braucht, steht in der Dokumentation):',
  'workers.id': 'Worker',
  'workers.note': 'Hinweis',
  'workers.clock': 'Uhr',
  'workers.clock.help': 'Wie weit seine Uhr der des Hosts des aktiven Managers vorgeht.',
  'workers.version': 'Version',

  'mclock.title': 'mClock',
  'mclock.help':
    'mClock verteilt die IOPS, die es einem OSD zutraut. Wo das weit von der Wirklichkeit entfernt ist, kommen Clients oder Recovery zu kurz. Gemessen sind zufällige Schreibzugriffe von 4 KiB (Läufe von osd-iops).',
  'mclock.configured': 'Eingestellt',
  'mclock.measured': 'Gemessen',
  'mclock.plausible': 'Plausibel',
  'mclock.plausible.help': 'Was Ceph selbst bei so einem Gerät für plausibel hält.',
  'mclock.proposed': 'Vorgeschlagen',
  'mclock.source': 'Gesetzt für',
  'mclock.source.help':
    'Ob der Wert nur für dieses OSD gilt, für mehrere, oder die Voreinstellung ist.',
  'mclock.source.osd': 'dieses OSD',
  'mclock.source.cluster': 'mehrere',
  'mclock.source.default': 'Voreinstellung',
  'mclock.none': 'Kein OSD ist up.',
  'mclock.unused':
    'Kein OSD benutzt hier mClock: osd_op_queue ist in diesem Release ein anderer Scheduler.',
  'mclock.nothing':
    'Nichts vorzuschlagen: Bei keinem OSD liegt das Gemessene weit vom Eingestellten. OSDs, die kein Lauf von osd-iops gemessen hat, bekommen keinen Vorschlag.',
  'mclock.some':
    'OSDs mit Vorschlag: {count}. Was dort eingestellt ist, liegt weit vom Gemessenen oder ist unplausibel.',
  'mclock.or-more': '{count} oder mehr',
  'mclock.left': '{left} bleiben übrig: Wiederholen Sie es.',
  'mclock.apply': 'Gemessenes setzen …',
  'mclock.apply.title': 'Gemessenes setzen?',
  'mclock.apply.text':
    'Die Kapazität von bis zu 200 OSDs wird auf das Vorgeschlagene gesetzt. Was war, wird aufbewahrt, damit es zurückgesetzt werden kann.',
  'mclock.apply.do': 'Setzen',
  'mclock.apply.done': 'Gesetzt; geänderte OSDs: {count}.',
  'mclock.restore': 'Zurücksetzen …',
  'mclock.restore.title': 'Zurücksetzen auf das, was vorher war?',
  'mclock.restore.text':
    'Kapazitäten, die hier gesetzt wurden, werden wieder, was sie vorher waren. Was seitdem jemand gesetzt hat, bleibt.',
  'mclock.restore.do': 'Zurücksetzen',
  'mclock.restore.done': 'Zurückgesetzt; geänderte OSDs: {count}.',
};
