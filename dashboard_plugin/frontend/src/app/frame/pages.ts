import { Type } from '@angular/core';
import { Key } from '../i18n/en';
import { Values } from '../i18n/i18n';
import { match } from '../core/route';

/** A page of the tab. Its component takes the path's `:names` as inputs of these names. */
export interface Page {
  readonly path: string;
  readonly title: Key;
  /** Its place in the tab's own navigation; without, it is reached from other pages only. */
  readonly nav?: { readonly label: Key };
  /** Its place in the second line, beside the other pages under the same entry. */
  readonly sub?: Key;
  /** The navigation entry that is marked while this page shows, where it has none itself. */
  readonly under?: string;
  readonly load: () => Promise<Type<unknown>>;
}

/** All pages, in the order of the navigation. A new capability adds its page here, and only here. */
export const PAGES: readonly Page[] = [
  {
    path: '/',
    title: 'overview.title',
    nav: { label: 'nav.overview' },
    load: async () => (await import('../overview/overview.component')).OverviewComponent,
  },
  {
    path: '/findings',
    title: 'findings.title',
    nav: { label: 'nav.findings' },
    load: async () => (await import('../findings/findings.component')).FindingsComponent,
  },
  {
    path: '/findings/:id',
    title: 'finding.title',
    under: '/findings',
    load: async () => (await import('../findings/finding.component')).FindingComponent,
  },
  {
    path: '/map',
    title: 'map.title',
    nav: { label: 'nav.map' },
    load: async () => (await import('../map/osd-map.component')).OsdMapComponent,
  },
  {
    path: '/osds/:id',
    title: 'osd.title',
    under: '/map',
    load: async () => (await import('../osds/osd.component')).OsdComponent,
  },
  {
    path: '/doctor',
    title: 'doctor.title',
    nav: { label: 'nav.doctor' },
    sub: 'doctor.advice',
    load: async () => (await import('../doctor/doctor.component')).DoctorComponent,
  },
  {
    path: '/mclock',
    title: 'mclock.title',
    sub: 'mclock.title',
    under: '/doctor',
    load: async () => (await import('../mclock/mclock.component')).MclockComponent,
  },
  {
    path: '/enclosures',
    title: 'enclosures.title',
    nav: { label: 'nav.hardware' },
    sub: 'enclosures.title',
    load: async () => (await import('../enclosures/enclosures.component')).EnclosuresComponent,
  },
  {
    path: '/enclosures/:id',
    title: 'enclosure.title',
    under: '/enclosures',
    load: async () => (await import('../enclosures/enclosure.component')).EnclosureComponent,
  },
  {
    path: '/hosts/:name',
    title: 'host.title',
    under: '/enclosures',
    load: async () => (await import('../hosts/host.component')).HostComponent,
  },
  {
    path: '/paths',
    title: 'paths.title',
    sub: 'paths.title',
    under: '/enclosures',
    load: async () => (await import('../paths/paths.component')).PathsComponent,
  },
  {
    path: '/crc',
    title: 'crc.title',
    sub: 'crc.title',
    under: '/enclosures',
    load: async () => (await import('../crc/crc.component')).CrcComponent,
  },
  {
    path: '/laggy',
    title: 'laggy.title',
    nav: { label: 'nav.laggy' },
    load: async () => (await import('../laggy/laggy.component')).LaggyComponent,
  },
  {
    path: '/rounds',
    title: 'rounds.title',
    nav: { label: 'nav.rounds' },
    sub: 'rounds.title',
    load: async () => (await import('../rounds/rounds.component')).RoundsComponent,
  },
  {
    path: '/rounds/:id',
    title: 'round.title',
    under: '/rounds',
    load: async () => (await import('../rounds/round.component')).RoundComponent,
  },
  {
    path: '/workers',
    title: 'workers.title',
    sub: 'workers.title',
    under: '/rounds',
    load: async () => (await import('../workers/workers.component')).WorkersComponent,
  },
  {
    path: '/compare',
    title: 'compare.title',
    under: '/rounds',
    load: async () => (await import('../compare/compare.component')).CompareComponent,
  },
  {
    path: '/history',
    title: 'history.title',
    nav: { label: 'nav.history' },
    load: async () => (await import('../history/history.component')).HistoryComponent,
  },
  {
    path: '/schedules',
    title: 'schedules.title',
    nav: { label: 'nav.schedules' },
    load: async () => (await import('../schedules/schedules.component')).SchedulesComponent,
  },
];

/** The pages that share a navigation entry, where there are several. */
export function pagesUnder(entry: string | undefined): readonly Page[] {
  const found = PAGES.filter((page) => page.sub && (page.under ?? page.path) === entry);
  return found.length > 1 ? found : [];
}

export interface FoundPage {
  readonly page: Page;
  readonly params: Values;
}

/** The page of a path, with the values of its `:names`; null when there is none. */
export function findPage(segments: readonly string[]): FoundPage | null {
  for (const page of PAGES) {
    const params = match(page.path, segments);
    if (params) return { page, params };
  }
  return null;
}
