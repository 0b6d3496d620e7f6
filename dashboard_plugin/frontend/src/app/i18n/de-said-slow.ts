import { Sentence } from '../../generated/types';

/** Slow OSDs, hosts and enclosures, OSDs that come and go, and slower profiles; in German. */
export const deSaidSlow = {
  'device-named': 'Gerät {name}',
  'flapping-none': 'keines',
  'flapping-osd': '{osd} fiel aus und kam wieder: {how}',
  'flapping-osd-beside':
    '{osd} fiel aus und kam wieder: {how}; von {others|weiteren OSD|weiteren OSDs} auf seinem Host: {did}',
  'flapping-at-least': 'mindestens {times}-mal in 6 h, zuletzt {last:time}',
  'flapping-times': '{times}-mal in 6 h, zuletzt {last:time}',
  'flapping-together':
    '{count} von {all|OSD|OSDs} fielen gemeinsam aus und kamen wieder ({what}), bis zu {how}: {osds:osds}',
  'flapping-too': '{osds:osds} auch',
  'rack-named': 'Rack {name}',
  'rate-iops': '{rate:.0f} IOPS',
  'rate-mib': '{rate:.0f} MiB/s',
  regression:
    '{profile} ist seit Lauf {round} um {percent:.1f} % langsamer: {before} -> {now} im Median der {witnesses}, über {rounds|Lauf|Läufe}',
  'slow-at-hosts':
    'sie sind auf denselben Hosts ({hosts:list}), die Ursache liegt also nicht in den Laufwerken',
  'slow-at-positions':
    'sie sind an denselben Positionen ({positions:list}), die Ursache liegt also nicht in den Laufwerken',
  'slow-at-positions-hosts':
    'sie sind an denselben Positionen ({positions:list}) derselben Hosts ({hosts:list}), die Ursache liegt also nicht in den Laufwerken',
  'slow-cohort':
    '{slow} der {size} OSDs von {cohort} {slow#ist|sind} langsamer als die anderen, typisch {ratio:times}-mal so langsam {figures}',
  'slow-figures': '({channel:channel} {own:ms} gegen {usual:ms}), seit {since:time}',
  'slow-generation':
    '{slow} von {hosts|Host|Hosts} von {cohort} {slow#ist|sind} {ratio:times}-mal so langsam {figures}: seit den ersten Daten und alle gleich langsam, wie andere Hardware',
  'slow-osd':
    '{osd} ist {ratio:times}-mal so langsam wie {peers|Vergleichs-OSD|Vergleichs-OSDs} {figures}',
  'slow-osd-bursts':
    '{osd} ist schubweise {ratio:times}-mal so langsam wie {peers|Vergleichs-OSD|Vergleichs-OSDs}, {bursts|Schub|Schübe} in 24 h {figures}',
  'slow-some': '{slow} der {size} OSDs von {cohort}, auf {hosts|Host|Hosts},',
  'slow-together':
    '{who} sind langsamer als vergleichbare, typisch {ratio:times}-mal so langsam {figures}: {reason}',
  'slow-together-bursts':
    '{who} sind schubweise langsamer als vergleichbare, typisch {ratio:times}-mal so langsam {figures}: {reason}',
  'slow-too-many': 'zu viele auf einmal für eigene Fehler',
  'slow-unit':
    '{unit} ({osds|OSD|OSDs}) ist {ratio:times}-mal so langsam wie vergleichbare {figures}',
  'the-cluster': 'der Cluster',
  'witnesses-osds': 'OSDs',
  'witnesses-repeats': 'Wiederholungen',
} satisfies Partial<Record<Sentence, string>>;
