import { Sentence } from '../../generated/types';

/** Settings that are not put back, and rows of the database that cannot be read; in German. */
export const deSaidStore = {
  'named-because': '{name}: {why}',
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
  'row-span': 'Abschnitt von {kind} {key} um {at}, Stufe {level}',
  'row-state': 'Zustand {name} der Überwachung',
  'row-wear': 'Abnutzung durch den Lauf mit Token {token}',
} satisfies Partial<Record<Sentence, string>>;
