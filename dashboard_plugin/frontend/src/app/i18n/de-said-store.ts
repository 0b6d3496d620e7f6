import { Sentence } from '../../generated/types';

/** Settings that are not put back, and rows of the database that cannot be read; in German. */
export const deSaidStore = {
  'by-hand': 'von Hand, oder „ceph-perf-bench restore“ auf irgendeinem Host',
  'by-hand-with': 'von Hand: {commands}, oder „ceph-perf-bench restore“ auf irgendeinem Host',
  'journal-unreadable':
    'ein Journal geänderter Einstellungen ist nicht lesbar: {entries:list}; „ceph config-key get KEY“ zeigt es: die genannten Einstellungen von Hand zurücksetzen, dann „ceph config-key rm KEY“ ausführen',
  'named-because': '{name}: {why}',
  'not-put-back':
    'kein Lauf ist im Gange, aber Änderungen eines Laufs sind nicht zurückgesetzt: {settings:list}',
  'not-put-back-because':
    'kein Lauf ist im Gange, aber Änderungen eines Laufs sind nicht zurückgesetzt: {settings:list} ({why})',
  'row-because': '{row} ({why})',
  'row-episode': 'Laggy-Episode von {at:.0f}',
  'row-facts': 'Fakten von Host {host}',
  'row-finding': 'Befund {id}',
  'row-load': 'Wiederholung {repeat} von Lauf {round}',
  'row-removed': 'Notiz über den entfernten Lauf {id}',
  'row-result': 'Ergebnis von osd.{osd} in Lauf {round}',
  'row-round': 'Lauf {id}',
  'row-sample': 'Messwert {phase} {repeat} von osd.{osd} in Lauf {round}',
  'row-schedule': 'Zeitplan {name}',
  'row-span':
    'Abschnitt von {kind} {key} um {at}, Stufe {level}',
  'row-state': 'Zustand {name} der Überwachung',
  'row-wear': 'Abnutzung durch den Lauf mit Token {token}',
} satisfies Partial<Record<Sentence, string>>;
