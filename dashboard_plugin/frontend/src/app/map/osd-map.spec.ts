import { ComponentFixture } from '@angular/core/testing';
import { Osd, Status } from '../../generated/types';
import { World, world } from '../../testing/recorded';
import { button, show, shownText, type, until } from '../../testing/settle';
import { Refusal } from '../core/refusal';
import { OsdMapComponent } from './osd-map.component';

function open(route: string, made: World = world()): ComponentFixture<OsdMapComponent> {
  made.host.route.set(route);
  return show(OsdMapComponent, made);
}

function watched(made: World, changes: Partial<Status['watch']>): World {
  const { watch } = made.http.body<Status>('GET status');
  made.http.change<Status>('GET status', { watch: { ...watch, ...changes } });
  return made;
}

test('a layer of the watch asks for what it shows, and its legend tells of the slow', async () => {
  const fixture = open('/map?layer=ratio');
  const text = await until(fixture, (shown) => shown.includes('slow against its peers'));
  expect(text).toContain('12 OSDs, 12 with latencies');
  expect((fixture.nativeElement as HTMLElement).querySelector('#pb-map-profile')).toBeNull();
});

test('a layer of the benches asks for no latencies', async () => {
  const made = world();
  await until(open('/map?layer=peers', made), (text) => text.includes('12 OSDs, 12 measured'));
  expect(made.http.asked).not.toContain('GET osd/latency');
});

test('the table has the one or the other figures, what is worst first', async () => {
  const made = world();
  const fixture = open('/map?view=table&layer=peers', made);
  await until(fixture, (text) => text.includes('Of peers'));
  button(fixture, 'Latencies').click();
  await until(fixture, (text) => text.includes('Commit ms') && text.includes('▼ slow'));
  expect(made.host.route()).toBe('/map?view=table&layer=ratio');
  const [first] = (fixture.nativeElement as HTMLElement).querySelectorAll('tbody tr');
  expect(first?.textContent).toContain('osd.4');
});

test.each<[string, Partial<Status['watch']>, string]>([
  ['what OSDs do now', {}, '12 OSDs, 12 with latencies'],
  ['benches where the watch is off', { on: false }, '12 OSDs, 12 measured'],
  ['benches where no OSD does enough to be judged', { judged: 0 }, '12 OSDs, 12 measured'],
])('it opens on %s', async (_, changes, words) => {
  await until(open('/map', watched(world(), changes)), (text) => text.includes(words));
});

test('a watch that is off is said', async () => {
  const fixture = open('/map?layer=commit', watched(world(), { on: false }));
  await until(fixture, (text) => text.includes('The watch is off'));
});

test.each([
  ['osd.4', '1 OSD marked: osd.4'],
  ['4', '1 OSD marked: osd.4'],
  ['HOST-2', '4 OSDs marked: osd.8, osd.9'],
  ['nix', 'Nothing on the map is called “nix”.'],
])('%s is found on the map', async (word, words) => {
  const made = world();
  const osds = made.http.body<Osd[]>('GET osd');
  made.http.on('GET osd', ({ query }) => (query['search'] ? [] : osds));
  const fixture = open('/map?layer=peers', made);
  await until(fixture, (text) => text.includes('12 measured'));
  type(fixture, 'map-search', word);
  button(fixture, 'Find').click();
  await until(fixture, (text) => text.includes(words));
  button(fixture, 'Remove marks').click();
  await until(fixture, (text) => !text.includes('marked:'));
});

test('a serial number is asked of the module, however many answers it takes', async () => {
  const made = world();
  const [row] = made.http.body<Osd[]>('GET osd');
  made.http.on(
    'GET osd',
    ({ query }) => Array.from({ length: 300 }, () => ({ ...row, osd: query['offset'] ? 5 : 3 })),
    600,
  );
  await until(open('/map?layer=peers&mark=ACME', made), (text) =>
    text.includes('2 OSDs marked: osd.3, osd.5'),
  );
});

test('a search without an answer does not say that there is nothing, nor what was found before', async () => {
  const made = world();
  const [row] = made.http.body<Osd[]>('GET osd');
  made.http.on('GET osd', () => [{ ...row, osd: 3 }]);
  made.http.refuses = ({ query }) =>
    query['search'] === 'WX2' ? new Refusal('broken', 'the search broke') : null;
  const fixture = open('/map?layer=peers&mark=WX1', made);
  await until(fixture, (text) => text.includes('1 OSD marked: osd.3'));
  made.host.route.set('/map?layer=peers&mark=WX2');
  await until(fixture, () => made.http.asked.some((one) => one.includes('search=WX2')));
  const text = shownText(fixture);
  expect(text).not.toMatch(/Nothing on the map|marked: osd/);
  expect(text).toContain('the search broke');
});

test('figures of one profile are not shown as those of another that has no answer', async () => {
  const made = world();
  made.http.refuses = ({ query }) =>
    query['profile'] === 'osd-iops' ? new Refusal('broken', 'it broke') : null;
  const fixture = open('/map?layer=peers&profile=osd-throughput', made);
  await until(fixture, (text) => text.includes('12 measured'));
  made.host.route.set('/map?layer=peers&profile=osd-iops');
  const text = await until(fixture, (shown) => shown.includes('it broke'));
  expect(text).not.toContain('12 measured');
  expect((fixture.nativeElement as HTMLElement).querySelector('pb-heat-map')).toBeNull();
});
