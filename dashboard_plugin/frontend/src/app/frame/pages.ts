import { Type } from '@angular/core';
import { match } from '../core/route';
import { Values } from '../shared/fill';
import { Key } from '../shared/words';

/** A page of the tab. Its component takes the path's `:names` as inputs of these names. */
export interface Page {
  readonly path: string;
  readonly title: Key;
  /** Its place in the tab's own navigation; without, it is reached from other pages only. */
  readonly nav?: { readonly label: Key };
  /** Its place in the second line, beside the other pages under the same entry. */
  readonly sub?: Key;
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
    title: 'overview.title',
    nav: { label: 'nav.overview' },
    load: async () => (await import('../overview/overview.component')).OverviewComponent,
  },
  {
    path: '/wrong',
    title: 'wrong.title',
    nav: { label: 'nav.wrong' },
    sub: 'wrong.all',
    load: async () => (await import('../wrong/wrong.component')).WrongComponent,
  },
  {
    path: '/findings',
    title: 'findings.title',
    sub: 'findings.title',
    under: '/wrong',
    load: async () => (await import('../findings/findings.component')).FindingsComponent,
  },
  {
    path: '/findings/:id',
    title: 'finding.title',
    under: '/findings',
    load: async () => (await import('../findings/finding.component')).FindingComponent,
  },
  {
    path: '/laggy',
    title: 'laggy.title',
    sub: 'laggy.title',
    under: '/wrong',
    load: async () => (await import('../laggy/laggy.component')).LaggyComponent,
  },
  {
    path: '/crc',
    title: 'crc.title',
    sub: 'crc.title',
    under: '/wrong',
    load: async () => (await import('../crc/crc.component')).CrcComponent,
  },
  {
    path: '/paths',
    title: 'paths.title',
    sub: 'paths.title',
    under: '/wrong',
    load: async () => (await import('../paths/paths.component')).PathsComponent,
  },
  {
    path: '/doctor',
    title: 'doctor.title',
    sub: 'doctor.advice',
    under: '/wrong',
    load: async () => (await import('../doctor/doctor.component')).DoctorComponent,
  },
  {
    path: '/mclock',
    title: 'mclock.title',
    sub: 'mclock.title',
    under: '/wrong',
    load: async () => (await import('../mclock/mclock.component')).MclockComponent,
  },
  {
    path: '/map',
    title: 'map.title',
    nav: { label: 'nav.where' },
    sub: 'map.title',
    load: async () => (await import('../map/osd-map.component')).OsdMapComponent,
  },
  {
    path: '/osds/:id',
    title: 'osd.title',
    under: '/map',
    load: async () => (await import('../osds/osd.component')).OsdComponent,
  },
  {
    path: '/hosts',
    title: 'hosts.title',
    sub: 'hosts.title',
    under: '/map',
    load: async () => (await import('../enclosures/hosts.component')).HostsComponent,
  },
  {
    path: '/hosts/:name',
    title: 'host.title',
    under: '/hosts',
    load: async () => (await import('../hosts/host.component')).HostComponent,
  },
  {
    path: '/enclosures',
    title: 'enclosures.title',
    sub: 'enclosures.title',
    under: '/map',
    load: async () => (await import('../enclosures/enclosures.component')).EnclosuresComponent,
  },
  {
    path: '/enclosures/:id',
    title: 'enclosure.title',
    under: '/enclosures',
    load: async () => (await import('../enclosures/enclosure.component')).EnclosureComponent,
  },
  {
    path: '/rounds',
    title: 'rounds.title',
    nav: { label: 'nav.fast' },
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
    path: '/history',
    title: 'history.title',
    sub: 'history.title',
    under: '/rounds',
    load: async () => (await import('../history/history.component')).HistoryComponent,
  },
  {
    path: '/compare',
    title: 'compare.title',
    sub: 'compare.title',
    under: '/rounds',
    load: async () => (await import('../compare/compare.component')).CompareComponent,
  },
  {
    path: '/schedules',
    title: 'schedules.title',
    sub: 'schedules.title',
    under: '/rounds',
    load: async () => (await import('../schedules/schedules.component')).SchedulesComponent,
  },
  {
    path: '/workers',
    title: 'workers.title',
    sub: 'workers.title',
    under: '/rounds',
    load: async () => (await import('../workers/workers.component')).WorkersComponent,
  },
  {
    path: '/settings',
    title: 'settings.title',
    nav: { label: 'nav.settings' },
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
