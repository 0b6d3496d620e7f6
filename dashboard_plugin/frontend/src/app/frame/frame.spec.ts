import { jest } from '@jest/globals';
import { ComponentFixture, TestBed } from '@angular/core/testing';
import { READER, World, world } from '../../testing/fake-http';
import { button, shownText, until } from '../../testing/settle';
import { HostSettings } from '../core/host-settings';
import { FrameComponent } from './frame.component';
import { formatLocale, number } from '../core/format';
import { PAGES } from './pages';

function open(route: string, made: World = world()): ComponentFixture<FrameComponent> {
  made.host.route.set(route);
  TestBed.configureTestingModule({ providers: made.providers });
  return TestBed.createComponent(FrameComponent);
}

describe('every page shows what it is for', () => {
  test.each([
    ['/', 'Slowest OSDs against their peers'],
    ['/', 'What to do'],
    ['/wrong', 'host host-2'],
    ['/hosts', 'Old reports raise no findings'],
    ['/settings', 'watch_tick_seconds'],
    ['/findings', 'host host-2'],
    ['/findings/2', 'Evidence'],
    ['/laggy', 'PGs are laggy'],
    ['/doctor', 'Advice'],
    ['/map?view=table', 'osd.23'],
    ['/osds/3', 'Samples of round 12'],
    ['/rounds', 'osd-throughput'],
    ['/rounds/5', 'repeats of the same OSD differ by 12.4 %'], // a noisy one, with its reason
  ])('%s: %s', async (route, words) => {
    await until(open(route), (text) => text.includes(words));
  });
});

test.each(['/', '/wrong', '/map', '/osds/3', '/rounds/5', '/settings'])(
  '%s: the banner is the dashboard’s, no header of ours is one',
  async (route) => {
    const fixture = open(route);
    await until(fixture, (text) => text.includes('Settings'));
    await fixture.whenStable();
    const headers = [...(fixture.nativeElement as HTMLElement).querySelectorAll('header')];
    // Ceph 20 has a <header>; another outside of a section is a second banner.
    expect(headers.filter((one) => !one.closest('section, article, aside, main, nav'))).toEqual([]);
  },
);

describe('what is not there is said in a sentence', () => {
  test.each([
    ['/nowhere', 'There is no page /nowhere.'],
    ['/osds/999', 'osd.999: no such OSD in this cluster'],
    ['/osds/three', '“three” is not the number of an OSD.'],
    ['/findings/99', 'no finding 99'],
    ['/rounds/777', 'there is no round 777'],
    ['/rounds/-1', '“-1” is not the number of a round.'],
    ['/map?layer=speed&view=table', 'The address asks for “speed”'],
  ])('%s: %s', async (route, words) => {
    await until(open(route), (text) => text.includes(words));
  });
});

describe('refusals', () => {
  test.each([
    ['off', 'ceph mgr module enable perf_bench'],
    ['forbidden', 'your roles lack the permission'],
    ['logged-out', 'Your session has ended: log in again.'],
    ['broken', 'perf_bench met an error of its own'],
  ])('%s: %s', async (mode, words) => {
    const made = world();
    made.http.answers.mode = mode;
    await until(open('/', made), (text) => text.includes(words));
  });

  test('the module comes back, and the page with it', async () => {
    const made = world();
    made.http.answers.mode = 'off';
    const fixture = open('/rounds', made);
    await until(fixture, (text) => text.includes('Try again'));
    expect(shownText(fixture).match(/ceph mgr module enable/g)).toHaveLength(1);
    made.http.answers.mode = '';
    button(fixture, 'Try again').click();
    await until(fixture, (text) => !text.includes('Try again'));
  });

  test('who may not read asks nothing of a page', async () => {
    const made = world();
    made.host.permissions.set({ osd: [] });
    const text = await until(open('/rounds', made), (shown) => shown.includes('You cannot see'));
    expect(text).not.toContain('osd-throughput');
  });
});

test('an empty cluster has no empty tables but sentences', async () => {
  const text = await until(open('/', world({ osds: 0, rounds: 0 })), (shown) =>
    shown.includes('No round has run yet.'),
  );
  expect(text).toContain('Not known: this cluster has no OSDs to watch.');
  expect(text).toContain('Start the first round');
  expect(text).toContain('No round has compared OSDs');
});

test.each([
  [{ osd: ['read', 'create'] }, true],
  [{ osd: ['read', 'update', 'delete'], pool: ['create'] }, false],
])('with the permissions %p there is a start button: %p', async (permissions, there) => {
  const fixture = open('/rounds', world({ permissions }));
  const text = await until(fixture, (shown) => shown.includes('osd-throughput'));
  expect(text.includes('Start a round')).toBe(there);
});

test.each([
  [READER, 'create of the scope osd, delete of the scope osd, update of the scope config-opt.'],
  [{ osd: ['read', 'create', 'delete'] }, 'the permission: update of the scope config-opt.'],
])('who has the permissions %p is told which are missing', async (permissions, words) => {
  const fixture = open('/rounds', world({ permissions }));
  const text = await until(fixture, (shown) => shown.includes('osd-throughput'));
  expect(text).toContain('Buttons are hidden where your roles lack the permission: ');
  expect(text).toContain(words);
});

test('who has all permissions is told nothing of them', async () => {
  const text = await until(open('/rounds'), (shown) => shown.includes('osd-throughput'));
  expect(text).not.toContain('permission');
});

test('a click navigates and tells the host page, with the new title', async () => {
  const made = world();
  const fixture = open('/', made);
  await until(fixture, (text) => text.includes('Last rounds'));
  const links = [...(fixture.nativeElement as HTMLElement).querySelectorAll('a')];
  const link = links.find((one) => one.textContent === 'How fast')!;
  expect(link.getAttribute('href')).toBe('#/perf-bench/rounds');
  link.click();
  await until(fixture, (text) => text.includes('Search this table') || text.includes('1–12 of 12'));
  expect(made.told.map(({ type, detail }) => [type, detail['route']])).toContainEqual([
    'perf-bench-navigate',
    '/rounds',
  ]);
  expect(made.host.title()).toBe('Rounds · Perf Bench');
});

test('the focus goes to the heading of another page, and stays when a filter changes', async () => {
  const fixture = open('/');
  document.body.append(fixture.nativeElement as HTMLElement);
  const made = TestBed.inject(HostSettings);
  const focused = (): string => document.activeElement?.textContent.trim() ?? '';
  await until(fixture, (text) => text.includes('Last rounds'));
  expect(document.activeElement).toBe(document.body);
  made.route.set('/rounds/3');
  await until(fixture, () => focused() === 'Round 3');
  const search = document.createElement('input');
  document.body.append(search);
  search.focus();
  made.route.set('/rounds/3?sort=host');
  await until(fixture, (text) => text.includes('Environment when it started'));
  expect(document.activeElement).toBe(search);
  made.route.set('/findings');
  await until(fixture, () => focused() === 'Findings');
  search.remove();
});

test('the host page changes the route: the page and the title follow', async () => {
  const made = world();
  const fixture = open('/', made);
  await until(fixture, (text) => text.includes('Last rounds'));
  made.host.route.set('/rounds/3');
  await until(fixture, (text) => text.includes('Environment when it started'));
  expect(made.told.some(({ type }) => type === 'perf-bench-navigate')).toBe(false);
  made.host.route.set('/rounds/4');
  await until(fixture, () => made.host.title() === 'Round 4 · Perf Bench');
});

test.each([
  ['de_AT', '1,5'],
  ['no such locale', '1.5'],
])('figures are written as in %s, words are English', async (locale, written) => {
  const made = world();
  made.host.locale.set(locale);
  await until(open('/', made), (text) => text.includes('Last rounds'));
  expect(number(1.5)).toBe(written);
  formatLocale.set('en');
});

test('a page that cannot be loaded does not take away the one gone to meanwhile', async () => {
  const page = PAGES.find(({ path }) => path === '/doctor')!;
  let fail: (why: Error) => void = () => undefined;
  const load = jest
    .spyOn(page, 'load')
    .mockReturnValue(new Promise((_, reject) => (fail = reject)));
  const made = world();
  const fixture = open('/doctor', made);
  await fixture.whenStable();
  made.host.route.set('/rounds/3');
  await until(fixture, (text) => text.includes('Environment when it started'));
  fail(new TypeError('Failed to fetch dynamically imported module'));
  await new Promise((next) => setTimeout(next));
  await fixture.whenStable();
  expect(shownText(fixture)).toContain('Environment when it started');
  expect(shownText(fixture)).not.toContain('could not be loaded');
  load.mockRestore();
});
