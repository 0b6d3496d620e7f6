import { Sentence } from '../../generated/types';

/** What is wrong with a schedule; in German. */
export const deSaidRefusedSchedule = {
  'cron-field':
    '„--cron“: „{given}“ ist kein gültiger Wert ({field}): {low} bis {high}{names} angeben, Listen (1,2), Bereiche (1-5) oder Schritte (*/2)',
  'cron-fields':
    '„--cron“: „{given}“ hat {count} statt 5 Felder: Minute, Stunde, Tag des Monats, Monat, Wochentag, wie „0 3 * * 6“',
  'cron-impossible': '„--cron“: „{given}“ kommt nie vor: diesen Tag haben die Monate nicht',
  'cron-often':
    '„--cron“: zwischen den Zeiten liegen {gap} min, ein Lauf darf aber nur alle {least} min beginnen',
  'every-or-cron': 'entweder „--every“ angeben, wie 1d, oder „--cron“, wie „0 3 * * 6“',
  'every-range': '„--every“ {given} liegt nicht in 10m bis 366d',
  'no-schedule': 'kein Zeitplan „{name}“: „ceph perf-bench schedule ls“ nennt alle',
  'no-window':
    '„{given}“ ist kein Zeitfenster: zwei Uhrzeiten angeben, wie 01:00-05:00 oder 22:00-04:00',
  'schedule-exists':
    'einen Zeitplan „{name}“ gibt es schon: „ceph perf-bench schedule rm {name}“ entfernt ihn',
  'schedule-name':
    '„{name}“ ist kein Name eines Zeitplans: bis zu 63 Buchstaben, Ziffern, „.“, „_“ und „-“, zuerst ein Buchstabe oder eine Ziffer',
  'schedule-name-needed': 'der Name eines Zeitplans fehlt',
  'schedules-many': 'es gibt schon {count} Zeitpläne, mehr sind nicht möglich',
  'window-empty': 'das Zeitfenster {given} ist leer: weglassen für jede Tageszeit',
  'window-under': 'das Zeitfenster {given} ist kürzer als {least} Minuten',
} satisfies Partial<Record<Sentence, string>>;
