import { Type } from '@angular/core';
import { match } from '../core/route';
import { Values } from '../shared/fill';

/** A page of the tab. Its component takes the path's `:names` as inputs of these names. */
export interface Page {
  readonly path: string;
  /** Where it was before: addresses in bookmarks, documents and health checks go on to work. */
  readonly before?: readonly string[];
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
 * capability adds its page here, and only here.
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
    before: ['/findings', '/doctor'],
    title: 'What is wrong',
    nav: { label: 'What is wrong' },
    sub: 'All',
    load: async () => (await import('../wrong/wrong.component')).WrongComponent,
  },
  {
    path: '/findings/:id',
    title: 'Finding {id}',
    under: '/wrong',
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
    load: async () => (await import('../hosts/hosts.component')).HostsComponent,
  },
  {
    path: '/hosts/:name',
    title: 'Host {name}',
    under: '/hosts',
    load: async () => (await import('../hosts/host.component')).HostComponent,
  },
  {
    path: '/hardware',
    before: ['/enclosures', '/paths', '/crc'],
    title: 'Hardware',
    sub: 'Hardware',
    under: '/map',
    load: async () => (await import('../hardware/hardware.component')).HardwareComponent,
  },
  {
    path: '/enclosures/:id',
    title: 'Enclosure {id}',
    under: '/hardware',
    load: async () => (await import('../hardware/enclosure.component')).EnclosureComponent,
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
    before: ['/compare'],
    title: 'History and comparison',
    sub: 'History and comparison',
    under: '/rounds',
    load: async () => (await import('../history/history.component')).HistoryComponent,
  },
  {
    path: '/schedules',
    before: ['/workers'],
    title: 'Schedules and workers',
    sub: 'Schedules and workers',
    under: '/rounds',
    load: async () => (await import('../schedules/schedules.component')).SchedulesComponent,
  },
  {
    path: '/settings',
    before: ['/mclock'],
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
    for (const path of [page.path, ...(page.before ?? [])]) {
      const params = match(path, segments);
      if (params) return { page, params };
    }
  }
  return null;
}
