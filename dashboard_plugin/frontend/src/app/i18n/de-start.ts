import { enStart } from './en-start';

/** The German sentences of the dialog that starts a round; see de.ts. */
export const deStart: Readonly<Record<keyof typeof enStart, string>> = {
  'start.title': 'Lauf starten',
  'start.profile': 'Profil',
  'start.osds': 'OSDs',
  'start.osds.help': 'leer: alle · 0,3,7-9 · class=hdd · host=NAME · rack=NAME, verbunden mit &',
  'start.repeats': 'Wiederholungen',
  'start.repeats.help': 'leer: {repeats}, wie im Profil',
  'start.size': 'Blockgröße beim Schreiben',
  'start.size.help': 'etwa 64 KiB; leer: {size}, wie im Profil',
  'start.size.bad': 'Eine Größe ist eine Zahl mit B, KiB oder MiB, etwa 64 KiB.',
  'start.repeats.bad': 'Eine ganze Zahl von Wiederholungen ab 1 angeben.',
  'start.label': 'Bezeichnung',
  'start.label.help': 'ein Name, unter dem der Lauf zu finden ist',
  'start.plan': 'Plan',
  'start.planning': 'Plan wird berechnet…',
  'start.plan.osds': 'OSDs',
  'start.plan.waves': 'Wellen',
  'start.plan.waves.text':
    '{waves|Welle|Wellen} × {repeats|Wiederholung|Wiederholungen}, bis zu {most|OSD|OSDs} zugleich',
  'start.plan.samples': 'Messungen',
  'start.plan.time': 'Dauert etwa',
  'start.plan.time.text': '{time} (nach {basis})',
  'start.plan.bytes': 'Schreibt',
  'start.plan.bytes.text': '{bytes}, {each} auf jedes OSD',
  'start.plan.notes': 'Hinweise',
  'start.do': 'Lauf starten',
  'start.show-active': 'Den laufenden Lauf zeigen',
  'start.wear': 'Abnutzung',
  'start.wear.class': '{class} ({osds|OSD|OSDs})',
  'start.wear.full': 'höchstens {percent} eines vollen Beschreibens eines Geräts',
  'start.wear.unsized': 'Größe unbekannt bei {count|OSD|OSDs}',
  'start.wear.rated':
    '{percent} der Schreiblast eines Tages bei {writes} Laufwerksschreibvorgängen am Tag',
  'start.wear.budget': 'mit den letzten 24 h {percent} des Tagesbudgets von {bytes}',
  'start.wear.budget.unknown': 'was Läufe in den letzten 24 h schrieben, ist nicht bekannt',
  'start.wear.used': 'Laufwerke melden bis zu {percent} ihrer Nennlebensdauer als verbraucht',
  'start.wear.unused': 'verbrauchte Lebensdauer unbekannt bei {count|OSD|OSDs}',
  'start.clients': 'Was Clients spüren',
  'start.clients.felt':
    'Lauf {id}: von {before} auf {median} ms, schlimmstenfalls {highest} ms (das {times}-Fache)',
  'start.clients.no-rounds': 'Nicht bekannt: Noch kein vergleichbarer Lauf ist zu Ende.',
  'start.clients.not-measured':
    'Nicht bekannt: In vergleichbaren Läufen gab es zu wenige Operationen von Clients, oder die Überwachung war aus.',
  'start.clients.own-clients':
    'Nicht bekannt: In Läufen mit Clients sind die meisten Operationen deren eigene.',
  'start.clients.unread': 'Zurzeit nicht bekannt: Die Datenbank antwortet nicht.',
  'start.holds.unknown': 'Nicht bekannt: Die Einstellungen sind zurzeit nicht lesbar.',
  'start.holds.until': 'spätestens nach {time}',
  'start.most-bytes': '{bytes} insgesamt',
};
