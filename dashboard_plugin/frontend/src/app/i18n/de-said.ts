import { Saying } from '../findings/said';

/** What findings say that the tab makes of their evidence, in German; see findings/said.ts. */
export const deSaid: Readonly<Record<Saying, string>> = {
  'slow-osd':
    '{name} auf {host} ist {ratio}-mal so langsam wie {peers|Vergleichs-OSD|Vergleichs-OSDs} ({channel} {own} ms gegen {usual} ms), seit {since}',
  'slow-osd-bursts':
    '{name} auf {host} ist schubweise {ratio}-mal so langsam wie {peers|Vergleichs-OSD|Vergleichs-OSDs}, {bursts|Schub|Schübe} in 24 h ({channel} {own} ms gegen {usual} ms), seit {since}',
  'slow-device':
    'Das Gerät {device} ({osds|OSD|OSDs}) ist {ratio}-mal so langsam wie vergleichbare ({channel} {own} ms gegen {usual} ms), seit {since}',
  'slow-unit':
    '{id} ({osds|OSD|OSDs}) ist {ratio}-mal so langsam wie vergleichbare ({channel} {own} ms gegen {usual} ms), seit {since}',
  regression:
    '{profile} ist seit Lauf {round} um {percent} % langsamer: {before} -> {after} MiB/s im Median, über {rounds|Lauf|Läufe}',
  'flapping-osd': '{name} auf {host} ist {times}-mal ausgefallen und wiedergekommen',
};
