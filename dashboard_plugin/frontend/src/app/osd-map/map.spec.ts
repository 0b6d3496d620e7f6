import { OsdMap } from '../../generated/types';
import { grouped, naturalGroup } from './grouping';
import { LAYERS, NO_DATA, classOf, fitted, paint } from './layers';
import {
  SIZES,
  eachPlace,
  firstPlace,
  fittingSize,
  hit,
  layOut,
  neighbour,
  placeOf,
} from './layout';
import { mapData } from './map-data';
import { mapRows } from './map-table';

const COLUMNS = [
  'osd',
  'host',
  'rack',
  'class',
  'up',
  'bytes_per_second',
  'percent_of_peers',
  'robust_z',
  'round',
];

function answer(osds: number, perHost: number, racks = 2): OsdMap {
  const hosts = Math.ceil(osds / perHost);
  const rows = Array.from({ length: osds }, (_, osd) => {
    const host = Math.floor(osd / perHost);
    const rack = `rack-${Math.floor((host * racks) / hosts)}`;
    return [
      osd,
      `host-${host}`,
      rack,
      'hdd',
      osd !== 2,
      osd * 1e6,
      osd === 1 ? 40 : 100,
      osd === 1 ? -9 : 0,
      7,
    ];
  });
  return { columns: COLUMNS, rows };
}

describe('the answer in columns', () => {
  test('rows come sorted; what is not there is no data', () => {
    const data = mapData({
      columns: ['osd', 'iops', 'novelty'],
      rows: [
        [3, null, 1],
        [1, 5, 2],
      ],
    });
    expect([data.osd, data.host, data.round, data.up]).toEqual([
      [1, 3],
      ['', ''],
      [null, null],
      [true, true],
    ]);
    expect([...data.figures.iops]).toEqual([5, Number.NaN]);
  });

  test('slow is who is slow by both bounds', () => {
    expect(mapData(answer(4, 2)).slow).toEqual([false, true, false, false]);
  });

  test('as rows for the table, null for no data', () => {
    const [row] = mapRows(mapData({ columns: ['osd'], rows: [[5]] }));
    expect(row).toMatchObject({ osd: 5, iops: null, round: null, rack: '' });
  });
});

describe('layers', () => {
  test.each([
    [Number.NaN, NO_DATA],
    [10, 0],
    [50, 1],
    [83.3, 2],
    [83.4, 3],
    [100, 4],
    [500, 6],
  ])('%p percent of peers has class %p', (value, found) => {
    expect(classOf(value, LAYERS[0]!.bounds!)).toBe(found);
  });

  test('every layer has as many colours as classes, in light and in dark', () => {
    const data = mapData(answer(50, 10));
    for (const layer of LAYERS) {
      for (const dark of [false, true]) {
        const painted = paint(layer, data, dark);
        expect(new Set(painted.colours).size).toBe(painted.bounds.length + 1);
      }
    }
  });

  test('an outlier does not take all the colours', () => {
    const values = Float64Array.from([...Array.from({ length: 99 }, (_, n) => 100 + n), 1e9]);
    expect(Math.max(...fitted(values))).toBeLessThan(400);
  });

  test.each([[[]], [[5]], [[5, 5, 5]], [[0, 0]]])('fitted to %p rises, and is finite', (values) => {
    const bounds = fitted(Float64Array.from(values));
    expect(bounds.every(Number.isFinite)).toBe(true);
    expect([...bounds].sort((a, b) => a - b)).toEqual(bounds);
  });

  test('counts and classes agree', () => {
    const painted = paint(LAYERS[0]!, mapData(answer(50, 10)), false);
    expect(painted.counts.reduce((sum, count) => sum + count, 0)).toBe(50);
  });
});

describe('groups', () => {
  test('names go as people count, and each OSD stands in one strip', () => {
    const data = mapData(answer(120, 10, 1));
    const hosts = grouped(data, 'host');
    expect(hosts.map((group) => group.name).slice(0, 3)).toEqual(['host-0', 'host-1', 'host-2']);
    for (const by of ['rack', 'host', 'class'] as const) {
      const rows = grouped(data, by).flatMap((group) => group.strips.flat());
      expect(rows.sort((a, b) => a - b)).toEqual(data.osd);
    }
  });

  test.each([
    [1, 'host'],
    [3, 'rack'],
  ])('with %p racks %p is the natural group', (racks, group) => {
    expect(naturalGroup(mapData(answer(60, 10, racks)))).toBe(group);
  });
});

describe('layout', () => {
  const data = mapData(answer(2000, 24, 4));
  const groups = grouped(data, 'rack');

  test.each(SIZES)('with cells of %p every OSD is where it is hit, within the width', (cell) => {
    const layout = layOut(groups, cell, 700);
    let count = 0;
    eachPlace(
      layout,
      () => true,
      (row, x, y) => {
        count += 1;
        expect(x + cell).toBeLessThanOrEqual(700);
        expect(hit(layout, x + cell / 2, y + cell / 2)?.row).toBe(row);
        if (row % 97 === 0) expect(placeOf(layout, row)).toEqual({ row, x, y });
      },
    );
    expect(count).toBe(2000);
  });

  test('the first place, and none where nothing is or nothing is measured yet', () => {
    expect(firstPlace(layOut(groups, 8, 700))?.row).toBe(0);
    expect(firstPlace(layOut([], 8, 700))).toBeNull();
    expect(layOut(groups, 8, 0).boxes).toEqual([]);
    expect(placeOf(layOut(groups, 8, 700), 2000)).toBeNull();
  });

  test('beside all there is nothing', () => {
    const layout = layOut(groups, 8, 700);
    expect([hit(layout, -1, 50), hit(layout, 5, 2), hit(layout, 5, 1e6)]).toEqual([
      null,
      null,
      null,
    ]);
  });

  test('what fits is the largest that does', () => {
    const cell = fittingSize(groups, 900, 500);
    const next = SIZES[SIZES.indexOf(cell) + 1]!;
    expect(layOut(groups, cell, 900).height).toBeLessThanOrEqual(500);
    expect(layOut(groups, next, 900).height).toBeGreaterThan(500);
  });

  test('arrow keys go there and back, and stop at the edge', () => {
    const layout = layOut(groups, 10, 700);
    const from = placeOf(layout, 30)!;
    const right = neighbour(layout, from, 'right')!;
    expect(neighbour(layout, right, 'left')?.row).toBe(30);
    const down = neighbour(layout, from, 'down')!;
    expect(neighbour(layout, down, 'up')?.row).toBe(30);
    expect(neighbour(layout, placeOf(layout, 0)!, 'left')).toBeNull();
  });
});
