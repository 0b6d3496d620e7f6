import { ComponentFixture, TestBed } from '@angular/core/testing';
import { Refused } from '../../../fake/refused.mjs';
import { World, world } from '../../testing/fake-http';
import { button, shownText, until } from '../../testing/settle';
import { OsdMapComponent } from './osd-map.component';

function open(route: string, made: World = world()): ComponentFixture<OsdMapComponent> {
  made.host.route.set(route);
  TestBed.configureTestingModule({ providers: made.providers });
  return TestBed.createComponent(OsdMapComponent);
}

const asks = ({ http }: World): boolean => http.asked.includes('GET osd/latency');

test('a layer of the watch asks for what it shows, and its legend tells of slow and suspect', async () => {
  const made = world();
  const fixture = open('/map?layer=ratio', made);
  const text = await until(fixture, (shown) => shown.includes('slow against its peers'));
  expect(text).toContain('24 OSDs, 23 with latencies');
  expect(text).toContain('2 × and more 1');
  expect(text).toMatch(/suspect 8/);
  expect((fixture.nativeElement as HTMLElement).querySelector('#pb-map-profile')).toBeNull();
});

test('a layer of the benches asks for no latencies', async () => {
  const made = world();
  await until(open('/map?layer=peers', made), (text) => text.includes('24 OSDs, 24 measured'));
  expect(asks(made)).toBe(false);
});

test('where no round has run the latencies are shown unasked', async () => {
  const made = world({ rounds: 0 });
  await until(open('/map', made), (text) => text.includes('24 OSDs, 23 with latencies'));
  expect(asks(made)).toBe(true);
});

test('the table has the one or the other figures', async () => {
  const made = world();
  const fixture = open('/map?view=table&layer=peers', made);
  await until(fixture, (text) => text.includes('Of peers'));
  button(fixture, 'Latencies').click();
  await until(fixture, (text) => text.includes('Commit ms') && text.includes('○ suspect'));
  expect(made.host.route()).toBe('/map?view=table&layer=ratio');
  button(fixture, 'Benches').click();
  await until(fixture, (text) => text.includes('Of peers'));
});

test('a watch that is off is said; its OSDs have no data', async () => {
  const made = world();
  made.http.answers.watch.on = false;
  // The sentence is the pulse's, which needs its own answer.
  const fixture = open('/map?layer=commit', made);
  await until(fixture, (text) => text.includes('The watch is off'));
  await until(fixture, (text) => text.includes('24 OSDs, 0 with latencies'));
  expect(shownText(fixture)).toContain('no data 24');
});

test('no latencies, and why', async () => {
  const made = world();
  made.http.answers.watch.latency = () => {
    throw new Error('gone');
  };
  const fixture = open('/map?layer=risk', made);
  await until(fixture, (text) => text.includes('does not understand') || text.includes('gone'));
});

test('it opens on what OSDs do now; on benches where the watch is off', async () => {
  const made = world();
  made.http.answers.watch.calm = true;
  await until(open('/map', made), (text) => text.includes('24 OSDs, 23 with latencies'));
  const off = world();
  off.http.answers.watch.on = false;
  TestBed.resetTestingModule();
  await until(open('/map', off), (text) => text.includes('24 OSDs, 24 measured'));
});

test('it opens on benches where no OSD does enough to be judged', async () => {
  const made = world();
  const { watch } = made.http.answers;
  const told = watch.status();
  watch.status = () => ({ ...told, judged: 0 });
  await until(open('/map', made), (text) => text.includes('24 OSDs, 24 measured'));
});

test('the table of latencies begins with what is worst', async () => {
  const fixture = open('/map?view=table');
  await until(fixture, (text) => text.includes('Commit ms') && text.includes('○ suspect'));
  const rows = [...(fixture.nativeElement as HTMLElement).querySelectorAll('tbody tr')];
  expect(rows[0]?.textContent).toContain('osd.14');
  expect(rows[0]?.textContent).toContain('slow');
  expect(rows[1]?.textContent).toContain('suspect');
});

test.each([
  ['osd.14', '1 OSD marked: osd.14'],
  ['14', '1 OSD marked: osd.14'],
  ['HOST-2', '8 OSDs marked: osd.16, osd.17'],
  ['nix', 'Nothing on the map is called “nix”.'],
])('%s is found on the map', async (word, words) => {
  const fixture = open('/map?layer=peers');
  await until(fixture, (text) => text.includes('24 measured'));
  const field = (fixture.nativeElement as HTMLElement).querySelector<HTMLInputElement>(
    '#pb-map-search',
  )!;
  field.value = word;
  button(fixture, 'Find').click();
  await until(fixture, (text) => text.includes(words));
  button(fixture, 'Remove marks').click();
  await until(fixture, (text) => !text.includes('marked:'));
});

test('a serial number is asked of the module', async () => {
  const made = world();
  const { answers } = made.http;
  const osds = answers.osds.bind(answers);
  answers.osds = (query: URLSearchParams) => {
    if (query.get('search') !== 'WX12345') return osds(query);
    return { body: [answers.osd('3')], total: 1 };
  };
  await until(open('/map?layer=peers&mark=WX12345', made), (text) =>
    text.includes('1 OSD marked: osd.3'),
  );
});

test('all that a search finds is marked, however many answers it takes', async () => {
  const made = world({ osds: 600 });
  const { answers } = made.http;
  const osds = answers.osds.bind(answers);
  answers.osds = (query) => {
    if (query.get('search') !== 'ACME') return osds(query);
    const begin = Number(query.get('offset') ?? 0);
    const numbers = Array.from({ length: 600 }, (_, osd) => osd).slice(begin, begin + 500);
    return { body: numbers.map((osd) => answers.osd(String(osd))), total: 600 };
  };
  await until(open('/map?layer=peers&mark=ACME', made), (text) =>
    text.includes('600 OSDs marked:'),
  );
});

test('a search without an answer does not say that there is nothing, nor what was found before', async () => {
  const made = world();
  const { answers } = made.http;
  answers.osds = (query: URLSearchParams) => {
    if (query.get('search') === 'WX1') return { body: [answers.osd('3')], total: 1 };
    throw new Refused(500, 'fault', 'the search broke');
  };
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
  const { answers } = made.http;
  const real = answers.answer.bind(answers);
  answers.answer = (question) => {
    if (question.query.get('profile') === 'osd-iops') throw new Refused(500, 'fault', 'it broke');
    return real(question);
  };
  const fixture = open('/map?layer=peers&profile=osd-throughput', made);
  await until(fixture, (text) => text.includes('24 OSDs, 24 measured'));
  made.host.route.set('/map?layer=peers&profile=osd-iops');
  const text = await until(fixture, (shown) => shown.includes('it broke'));
  expect(text).not.toContain('24 measured');
  expect((fixture.nativeElement as HTMLElement).querySelector('pb-heat-map')).toBeNull();
});
