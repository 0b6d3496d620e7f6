import { Type } from '@angular/core';
import { match } from '../core/route';
import { Values } from '../shared/fill';

/** A page of the tab. Its component takes the path's `:names` as inputs of these names. */
export interface Page {
  readonly path: string;
  readonly title: string;
  /** Its place in the tab's own navigation; without, it is reached from other pages only. */
  readonly nav?: { readonly label: string };
  /** Its place in the second line, beside the other pages under the same entry. */
  readonly sub?: string;
  /** The page that it belongs to: of the same entry of the navigation, and marked while it shows. */
  readonly under?: string;
  readonly load: () => Promise<Type<unknown>>;
}

/**
 * All pages, by the question of an operator that they answer: what is wrong, where, how fast. A new
 * capability adds its page here, and only here; addresses stay, wherever a page moves to.
 */
export const PAGES: readonly Page[] = [
  {
    path: '/',
    title: 'Overview',
    nav: { label: 'Overview' },
    load: async () => (await import('../overview/overview.component')).OverviewComponent,
  },
  {
    path: '/wrong',
    title: 'What is wrong',
    nav: { label: 'What is wrong' },
    sub: 'All',
    load: async () => (await import('../wrong/wrong.component')).WrongComponent,
  },
  {
    path: '/findings',
    title: 'Findings',
    sub: 'Findings',
    under: '/wrong',
    load: async () => (await import('../findings/findings.component')).FindingsComponent,
  },
  {
    path: '/findings/:id',
    title: 'Finding {id}',
    under: '/findings',
    load: async () => (await import('../findings/finding.component')).FindingComponent,
  },
  {
    path: '/laggy',
    title: 'Laggy PGs',
    sub: 'Laggy PGs',
    under: '/wrong',
    load: async () => (await import('../laggy/laggy.component')).LaggyComponent,
  },
  {
    path: '/crc',
    title: 'Checksums',
    sub: 'Checksums',
    under: '/wrong',
    load: async () => (await import('../crc/crc.component')).CrcComponent,
  },
  {
    path: '/paths',
    title: 'Paths',
    sub: 'Paths',
    under: '/wrong',
    load: async () => (await import('../paths/paths.component')).PathsComponent,
  },
  {
    path: '/doctor',
    title: 'Doctor',
    sub: 'Advice',
    under: '/wrong',
    load: async () => (await import('../doctor/doctor.component')).DoctorComponent,
  },
  {
    path: '/mclock',
    title: 'mClock',
    sub: 'mClock',
    under: '/wrong',
    load: async () => (await import('../mclock/mclock.component')).MclockComponent,
  },
  {
    path: '/map',
    title: 'OSD map',
    nav: { label: 'Where' },
    sub: 'OSD map',
    load: async () => (await import('../map/osd-map.component')).OsdMapComponent,
  },
  {
    path: '/osds/:id',
    title: 'osd.{id}',
    under: '/map',
    load: async () => (await import('../osds/osd.component')).OsdComponent,
  },
  {
    path: '/hosts',
    title: 'Hosts',
    sub: 'Hosts',
    under: '/map',
    load: async () => (await import('../enclosures/hosts.component')).HostsComponent,
  },
  {
    path: '/hosts/:name',
    title: 'Host {name}',
    under: '/hosts',
    load: async () => (await import('../hosts/host.component')).HostComponent,
  },
  {
    path: '/enclosures',
    title: 'Enclosures',
    sub: 'Enclosures',
    under: '/map',
    load: async () => (await import('../enclosures/enclosures.component')).EnclosuresComponent,
  },
  {
    path: '/enclosures/:id',
    title: 'Enclosure {id}',
    under: '/enclosures',
    load: async () => (await import('../enclosures/enclosure.component')).EnclosureComponent,
  },
  {
    path: '/rounds',
    title: 'Rounds',
    nav: { label: 'How fast' },
    sub: 'Rounds',
    load: async () => (await import('../rounds/rounds.component')).RoundsComponent,
  },
  {
    path: '/rounds/:id',
    title: 'Round {id}',
    under: '/rounds',
    load: async () => (await import('../rounds/round.component')).RoundComponent,
  },
  {
    path: '/history',
    title: 'History',
    sub: 'History',
    under: '/rounds',
    load: async () => (await import('../history/history.component')).HistoryComponent,
  },
  {
    path: '/compare',
    title: 'Compare rounds',
    sub: 'Compare rounds',
    under: '/rounds',
    load: async () => (await import('../compare/compare.component')).CompareComponent,
  },
  {
    path: '/schedules',
    title: 'Schedules',
    sub: 'Schedules',
    under: '/rounds',
    load: async () => (await import('../schedules/schedules.component')).SchedulesComponent,
  },
  {
    path: '/workers',
    title: 'Workers',
    sub: 'Workers',
    under: '/rounds',
    load: async () => (await import('../workers/workers.component')).WorkersComponent,
  },
  {
    path: '/settings',
    title: 'Settings',
    nav: { label: 'Settings' },
    load: async () => (await import('../settings/settings.component')).SettingsComponent,
  },
];

/** The page's entry in the navigation. */
export function entryOf(page: Page): string {
  const parent = PAGES.find((one) => one.path === page.under);
  return parent ? entryOf(parent) : page.path;
}

/** The page in the second line that is marked: itself, or the one that it belongs to. */
export function markOf(page: Page): string {
  return page.sub ? page.path : (page.under ?? page.path);
}

/** The pages that share a navigation entry, where there are several. */
export function pagesUnder(entry: string | undefined): readonly Page[] {
  const found = PAGES.filter((page) => page.sub && entryOf(page) === entry);
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
