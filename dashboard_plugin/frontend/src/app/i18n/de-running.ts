import { enRunning } from './en-running';

/** The German sentences about a round that runs and what it holds; see de.ts. */
export const deRunning: Readonly<Record<keyof typeof enRunning, string>> = {
  'active.title': 'Lauf {id} läuft',
  'active.line': '{profile}, {phase}: {done} von {planned|Messung|Messungen}',
  'active.eta': 'noch etwa {time}',
  'active.waits': 'wartet auf {osds}',
  'active.waits.more': 'wartet auf {osds} und {more} weitere',
  'active.spoken': 'Lauf {id}: {percent} fertig',
  'active.ended': 'Lauf {id} ist zu Ende.',
  'active.abort': 'Abbrechen …',
  'active.show': 'Einzelheiten',
  'interim.title': 'Bisher',
  'interim.wave': 'Wiederholung {repeat}, Welle {wave} von {waves}.',
  'interim.osds': '{measured} von {planned|OSD hat|OSDs haben} Werte.',
  'interim.classes': 'Geräteklassen bisher',
  'interim.low': 'Langsamstes',
  'interim.median': 'Median',
  'interim.high': 'Schnellstes',
  'interim.slowest': 'Bisher am langsamsten gegenüber dem Median ihrer Klasse',
  'interim.of-class': 'Von der Klasse',
  'interim.clients': 'Latenz der Clients',
  'interim.clients.both': 'Jetzt {now} ms, vor dem Lauf {before} ms, höchstens {highest} ms.',
  'interim.clients.now':
    'Jetzt {now} ms, höchstens {highest} ms. Vor dem Lauf gab es zu wenige Operationen.',
  'interim.clients.few':
    'Nicht bekannt: Clients machen weniger als 100 Operationen in 15 s, oder die Überwachung ist aus.',
  'interim.before': 'vorher',
  'quiesce.title': 'Für Läufe angehaltene Einstellungen',
  'quiesce.idle': 'Zurzeit hat kein Lauf eine Einstellung des Clusters geändert.',
  'quiesce.held': 'Solange der Lauf läuft; am Ende wird alles zurückgesetzt.',
  'quiesce.restore-pending':
    'Noch sind nicht alle Einstellungen zurückgesetzt. Es wird alle paar Sekunden wieder versucht.',
  'quiesce.holder': 'Geändert von {holder}.',
  'quiesce.round': 'Geändert von Lauf {round}.',
  'quiesce.until': 'Spätestens zurückgesetzt:',
  'quiesce.change': '{now}, war {was}',
  'quiesce.unread': 'jetzt nicht bekannt ({why}), war {was}',
  'quiesce.not-set': 'nicht gesetzt',
  'quiesce.watched': 'Ein Auftrag für {settings} kann noch ausgeführt werden und wird beobachtet.',
  'quiesce.left': '{what} bleibt {now}: seitdem hat es jemand anders gesetzt.',
  'quiesce.gone': '{what} gibt es nicht mehr.',
  'quiesce.by-hand': 'Von Hand',
  'quiesce.by-hand.more':
    'Und {count|weitere Einstellung|weitere Einstellungen}: „ceph-perf-bench restore“ auf irgendeinem Host setzt alle zurück.',
  'quiesce.restore': 'Jetzt zurücksetzen',
  'quiesce.restore.title': 'Einstellungen zurücksetzen?',
  'quiesce.restore.text':
    'Alle Einstellungen, die ein Lauf geändert zurückgelassen hat, bekommen ihre Werte von vorher. Was jemand seitdem gesetzt hat, bleibt.',
  'abort.title': 'Lauf {id} abbrechen?',
  'abort.text':
    'Der Lauf endet in Sekunden. Bisherige Ergebnisse bleiben, mit dem Urteil „abgebrochen“. Auf einem OSD begonnene Messungen laufen zu Ende.',
  'abort.do': 'Lauf abbrechen',
};
