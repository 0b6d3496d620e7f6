import { jest } from '@jest/globals';
import { ComponentFixture, TestBed } from '@angular/core/testing';
import { READER, World, world } from '../../testing/recorded';
import { button, show, shownText, until } from '../../testing/settle';
import { formatLocale, number } from '../core/format';
import { HostSettings } from '../core/host-settings';
import { Refusal, RefusalKind } from '../core/refusal';
import { FrameComponent } from './frame.component';
import { PAGES } from './pages';

const OFF = 'the module perf_bench is switched off or not installed';

function open(route: string, made: World = world()): ComponentFixture<FrameComponent> {
  made.host.route.set(route);
  return show(FrameComponent, made);
}

test.each(['/', '/wrong', '/map', '/osds/4', '/rounds/5', '/settings'])(
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

describe('refusals', () => {
  test.each<[RefusalKind, string, string]>([
    ['off', OFF, OFF],
    ['forbidden', '', 'your roles lack a permission'],
    ['logged-out', '', 'Your session has ended: log in again.'],
    ['broken', 'an error of its own', 'an error of its own'],
  ])('%s: %s', async (kind, said, words) => {
    const made = world();
    made.http.refuses = () => new Refusal(kind, said);
    await until(open('/', made), (text) => text.includes(words));
  });

  test('the module comes back, and the page with it', async () => {
    const made = world();
    made.http.refuses = () => new Refusal('off', OFF);
    const fixture = open('/rounds', made);
    await until(fixture, (text) => text.includes('Try again'));
    expect(shownText(fixture).match(/switched off/g)).toHaveLength(1);
    made.http.refuses = () => null;
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

test.each([
  [{ osd: ['read', 'create'] }, true],
  [{ osd: ['read', 'update', 'delete'], pool: ['create'] }, false],
])('with the permissions %p there is a start button: %p', async (permissions, there) => {
  const fixture = open('/rounds', world({ permissions }));
  const text = await until(fixture, (shown) => shown.includes('osd-throughput'));
  expect(text.includes('Start a round')).toBe(there);
});

test('while a round runs there is no start button, but the way to end it', async () => {
  const fixture = open('/', world({ scenes: ['running'] }));
  const text = await until(fixture, (shown) => shown.includes('Round 12:'));
  expect(text).not.toContain('Start a round');
  expect(text).toContain('Abort…');
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
  await until(fixture, (text) => text.includes('Tick two rounds'));
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
  made.route.set('/wrong');
  await until(fixture, () => focused() === 'What is wrong');
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
  const page = PAGES.find(({ path }) => path === '/laggy')!;
  let fail: (why: Error) => void = () => undefined;
  const load = jest
    .spyOn(page, 'load')
    .mockReturnValue(new Promise((_, reject) => (fail = reject)));
  const made = world();
  const fixture = open('/laggy', made);
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
