import { Catalogue } from './en';

/** German: the frame and the everyday words; all else falls back to English. */
export const de: Catalogue = {
  'nav.overview': 'Übersicht',
  'nav.map': 'OSD-Karte',
  'nav.rounds': 'Läufe',
  'nav.start': 'Lauf starten …',
  'nav.running': 'Lauf {id}: {percent}',
  'overview.title': 'Übersicht',
  'overview.health': 'Ist etwas nicht in Ordnung?',
  'overview.good': 'Nein: nichts gefunden.',
  'overview.rounds': 'Letzte Läufe',
  'overview.rounds.all': 'Alle Läufe',
  'overview.slowest': 'Langsamste OSDs im Vergleich',
  'map.title': 'OSD-Karte',
  'rounds.title': 'Läufe',
  'round.title': 'Lauf {id}',
  'state.loading': 'Lädt …',
  'state.retry': 'Noch einmal versuchen',
  'common.cancel': 'Abbrechen',
  'common.close': 'Schließen',
};
