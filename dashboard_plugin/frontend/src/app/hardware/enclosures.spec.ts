import { Enclosure } from '../../generated/types';
import { world } from '../../testing/recorded';
import { show, until } from '../../testing/settle';
import { EnclosureComponent } from './enclosure.component';
import { EnclosuresComponent } from './enclosures.component';
import { columnsOf, draw, tally } from './bays';

const SHELF = '0x5000c500a1b2c3d4';
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
test('of one that nobody tells of any more no part is said to be ok', async () => {
  const made = world();
  const unknown: Partial<Enclosure> = { state: 'unknown', suspects: [] };
  made.http.change<Enclosure>(`GET enclosure/${SHELF}`, unknown);
  const fixture = show(EnclosureComponent, made, { id: SHELF });
  await until(fixture, (text) => text.includes('fan 1') && text.includes('? unknown'));
  const parts = [...(fixture.nativeElement as HTMLElement).querySelectorAll('.pb-parts .pb-badge')];
  expect(parts.length).toBeGreaterThan(0);
  expect(parts.map((part) => part.textContent.trim())).toEqual(parts.map(() => '? unknown'));
});

test('nothing known says how to let it be known', async () => {
  const made = world();
  made.http.on('GET enclosure', () => []);
  const fixture = show(EnclosuresComponent, made);
  const text = await until(fixture, (shown) => shown.includes('No enclosure'));
  expect(text).toContain('ceph-perf-bench facts --push');
  expect(text).toContain('ceph perf-bench host import HOST -i FACTS.json');
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
