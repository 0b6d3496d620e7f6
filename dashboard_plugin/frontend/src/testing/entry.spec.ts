/** What the dashboard's page is told from, without a dashboard; qa/browser has the real ones. */
import * as hosts from '../../../entry/host.js';
import { hashIn, hashOf, isLogin, isOurs, routeOf } from '../../../entry/route.js';

describe('addresses', () => {
  test.each([
    ['#/perf-bench', true, '/'],
    ['#/perf-bench/', true, '/'],
    ['#/perf-bench/osds/3?x=1', true, '/osds/3?x=1'],
    ['#/perf-bench?layer=iops', true, '/?layer=iops'],
    ['#/perf-benchmark', false, ''], // somebody else's word may begin like ours
    ['#/perf', false, ''],
    ['#/osd', false, ''],
    ['', false, ''],
  ])('%s', (hash, ours, route) => {
    expect(isOurs(hash)).toBe(ours);
    if (ours) expect(routeOf(hash)).toBe(route);
  });

  test.each(['/', '/rounds/3', '/map?layer=iops&view=table'])('%s there and back', (route) => {
    expect(routeOf(hashOf(route))).toBe(route);
  });

  test.each([
    ['http://x/ceph/#/osd', '#/osd'],
    ['/ceph/', ''],
    [null, ''],
  ])('the hash in %p', (address, hash) => {
    expect(hashIn(address)).toBe(hash);
  });

  test.each([
    ['#/login', true],
    ['#/login?returnUrl=%2Fosd', true],
    ['#/login-change-password', false], // no log-in: a session is there
    ['#/osd', false],
  ])('%s is the log-in: %p', (hash, login) => {
    expect(isLogin(hash)).toBe(login);
  });
});

const CONTENT =
  '<div id="content"><div class="container-fluid"><router-outlet></router-outlet></div></div>';
const LOOKS = {
  'Ceph 16 to 19': `<nav id="sidebar"><ul class="cd-navbar-primary">
    <li class="nav-item tc_menuitem active" _ngcontent-x=""><a class="nav-link" routerlink="/dashboard"
      href="#/dashboard" aria-current="page"><span class="i"></span><span>Dashboard</span></a></li>
    </ul></nav>`,
  'Ceph 20': `<nav id="sidebar"><nav class="cds--side-nav__items"><div>
    <cds-sidenav-item><a class="cds--side-nav__link cds--side-nav__item--active" href="#/overview">
      <div class="icon"><svg viewBox="0 0 16 16"><path d="M0"/></svg></div><span>Overview</span></a>
    </cds-sidenav-item></div></nav></nav>`,
};

const add = (): HTMLElement => hosts.addEntry(hosts.find(document)!) as HTMLElement;

describe.each(Object.entries(LOOKS))('the page of %s', (_, sidebar) => {
  beforeEach(() => {
    document.body.innerHTML = sidebar + CONTENT;
  });

  test('has our entry once, in the look of its neighbour and without its marks', () => {
    const item = add();
    expect(add()).toBe(item);
    const link = item.querySelector('a')!;
    expect(link.getAttribute('href')).toBe('#/perf-bench');
    expect(link.textContent).toBe('Perf Bench');
    expect([...link.attributes].map(({ name }) => name).sort()).toEqual(['class', 'href']);
    expect(item.outerHTML).not.toMatch(/active|routerlink|tc_menuitem/);
    expect(document.querySelectorAll('#perf-bench-entry')).toHaveLength(1);
  });

  test('gives its mark to our entry, and has it back', () => {
    const before = document.body.innerHTML;
    const host = hosts.find(document)!;
    const item = add();
    const putBack = hosts.takeMarks(host, item);
    hosts.setActive(host, item, true);
    const marked = document.querySelectorAll('[aria-current], .active, [class*=--active]');
    expect([...marked].every((one) => item.contains(one))).toBe(true);
    expect(item.querySelector('[aria-current=page]')).not.toBeNull();
    hosts.setActive(host, item, false);
    putBack();
    item.remove();
    expect(document.body.innerHTML).toBe(before);
  });
});

test.each([
  ['no side bar', CONTENT],
  ['no content yet', LOOKS['Ceph 20']],
  [
    'a side bar without a link',
    `<nav id="sidebar"><ul class="cd-navbar-primary"></ul></nav>${CONTENT}`,
  ],
])('a page with %s is none that is known; it gets a link in a corner, once', (_, page) => {
  document.body.innerHTML = page;
  expect(hosts.find(document)).toBeNull();
  hosts.addFloatingLink('/ceph/');
  hosts.addFloatingLink('/ceph/');
  const links = document.querySelectorAll('a#perf-bench-entry');
  expect([...links].map((link) => link.getAttribute('href'))).toEqual(['/ceph/perf-bench/']);
});
