import { ComponentFixture, TestBed } from '@angular/core/testing';
import { World, world } from '../../testing/fake-http';
import { until } from '../../testing/settle';
import { EnclosureComponent } from './enclosure.component';
import { EnclosuresComponent } from './enclosures.component';
import { HostsComponent } from './hosts.component';
import { columnsOf, draw, tally } from './bays';

function list(made: World = world()): ComponentFixture<EnclosuresComponent> {
  TestBed.configureTestingModule({ providers: made.providers });
  return TestBed.createComponent(EnclosuresComponent);
}

function show(id: string, made: World = world()): ComponentFixture<EnclosureComponent> {
  TestBed.configureTestingModule({ providers: made.providers });
  const fixture = TestBed.createComponent(EnclosureComponent);
  fixture.componentRef.setInput('id', id);
  return fixture;
}

const BAY = {
  slot: 7,
  osd: 12,
  osds: [12],
  db_of: [],
  host: 'host-0',
  device: 'sdk',
  status: 'OK',
  fault: false,
  osd_state: 'ok',
};
const NOBODY = { osd: null, osds: [], db_of: [] };
test('all enclosures with their state', async () => {
  const fixture = list();
  const text = await until(fixture, (shown) => shown.includes('SHX24'));
  expect(text).toContain('✕ fault');
  expect(text).toContain('host-0, host-1');
  const link = (fixture.nativeElement as HTMLElement).querySelector('td a');
  expect(link?.getAttribute('href')).toBe('#/perf-bench/enclosures/0x5000c500a1b2c3d4');
});

test('the hosts with how old their facts are', async () => {
  const made = world();
  TestBed.configureTestingModule({ providers: made.providers });
  const fixture = TestBed.createComponent(HostsComponent);
  const text = await until(fixture, (shown) => shown.includes('host-2'));
  expect(text).toContain('never');
  expect(text).toContain('old');
});

test('nothing known says how to let it be known', async () => {
  const text = await until(list(world({ osds: 0 })), (shown) => shown.includes('No enclosure'));
  expect(text).toContain('ceph-perf-bench facts --push');
  expect(text).toContain('ceph perf-bench host import HOST -i FACTS.json');
});

test('one, slot by slot, with what speaks against it', async () => {
  const fixture = show('0x5000c500a1b2c3d4');
  const text = await until(fixture, (shown) => shown.includes('PSU 1'));
  expect(text).toContain('3 of its 12 OSDs went down within minutes of each other');
  expect(text).toContain('1 × critical');
  expect(text).toContain('host-0 (paths: 2), host-1 (paths: 1)');
  const element = fixture.nativeElement as HTMLElement;
  const slots = [...element.querySelectorAll('.pb-slot')];
  expect(slots).toHaveLength(60);
  expect(slots[7]?.classList).toContain('pb-slot--bad');
  expect(slots[7]?.querySelector('a')?.textContent).toBe('osd.7');
  const about = slots.map((slot) => slot.querySelector('.pb-hidden')?.textContent);
  expect(about[7]).toMatch(/^slot 7: osd\.7 ok; slot critical, fault; device \w+; host-0$/);
  expect(about[4]).toContain('osd.4 down');
  expect(slots[59]?.textContent).toContain('empty');
  const parts = [...element.querySelectorAll('.pb-parts li')].map((part) => part.textContent);
  expect(parts[0]).toContain('PSU 1');
});

test('of one that nobody tells of any more no part is said to be ok', async () => {
  const made = world();
  const { answers } = made.http;
  const shelf = answers.hardware.enclosure('0x5000c500a1b2c3d4');
  const real = answers.answer.bind(answers);
  answers.answer = (question) =>
    question.path === `enclosure/${shelf.id}`
      ? { body: { ...shelf, state: 'unknown', suspects: [] } }
      : real(question);
  const fixture = show(shelf.id, made);
  await until(fixture, (text) => text.includes('PSU 1') && text.includes('? unknown'));
  const parts = [...(fixture.nativeElement as HTMLElement).querySelectorAll('.pb-parts .pb-badge')];
  expect(parts.length).toBeGreaterThan(0);
  expect(parts.map((part) => part.textContent.trim())).toEqual(parts.map(() => '? unknown'));
});

test('of one that only the map knows, its OSDs, and why no slots', async () => {
  const fixture = show('rack-9-shelf');
  await until(fixture, (shown) => shown.includes('Only the OSDs are known'));
  const slots = (fixture.nativeElement as HTMLElement).querySelectorAll('.pb-slot');
  expect(slots).toHaveLength(2);
});

test('one that is not there is a sentence', async () => {
  await until(show('nowhere/else'), (shown) => shown.includes("no enclosure 'nowhere/else'"));
});

test.each([
  [60, 12],
  [24, 12],
  [12, 4],
  [106, 12],
  [2, 2],
  [0, 1],
])('%p slots stand in rows of %p', (slots, columns) => expect(columnsOf(slots)).toBe(columns));

test.each([
  ['all is well', {}, 'good'],
  ['the OSD is down', { osd_state: 'down' }, 'bad'],
  ['the slot is bad though the OSD is well', { status: 'noncritical' }, 'warning'],
  ['its light is on', { fault: true }, 'bad'],
  ['a disk of no OSD', { ...NOBODY, osd_state: null }, 'good'],
  ['no disk', { ...NOBODY, osd_state: null, device: null, status: 'OK' }, 'none'],
  ['nothing is known but the OSD', { osd_state: null, status: null, fault: null }, 'none'],
  ['the watch has no verdict on the OSD', { osd_state: 'no-data' }, 'none'],
  ['the OSD is out', { osd_state: 'out' }, 'none'],
  ['the slot does not know itself', { status: 'unknown' }, 'none'],
])('%s', (_, change, look) => expect(draw({ ...BAY, ...change }).look).toBe(look));

test.each([
  ['one OSD', { osds: [12] }, 'osd.12'],
  ['two OSDs on a drive', { osds: [12, 13] }, 'osd.12, osd.13'],
  ['many', { osds: [1, 2, 3, 4, 5, 6] }, 'osd.1, osd.2, osd.3, osd.4, +2'],
  ['data of one, the DB of others', { osds: [12], db_of: [1, 2] }, 'osd.12'],
  ['the DB of others only', { osds: [], db_of: [1, 2] }, 'DB of 2 OSDs'],
  ['a disk of nobody', NOBODY, 'sdk'],
])('a slot is named after its OSDs: %s', (_, change, name) =>
  expect(draw({ ...BAY, ...change }).name).toBe(name),
);

test('slots are counted, the worst first', () => {
  const bays = [
    BAY,
    BAY,
    { ...BAY, osd_state: 'down' },
    { ...BAY, ...NOBODY, device: null, osd_state: null },
  ];
  const drawn = bays.map((bay) => draw(bay));
  expect(tally(drawn)).toBe('1 × down, 2 × ok, 1 × empty');
});
