import { LIMITS } from '../../testing/recorded';
import { OsdLatency, OsdMap } from '../../generated/types';
import { grouped, worstGroups } from './grouping';
import {
  LAYERS,
  NO_DATA,
  SLOW,
  SUSPECT,
  boundText,
  boundsOf,
  classOf,
  fitted,
  fittedInRatios,
  paint,
  valueText,
} from './layers';
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
import { VALUED, inkOn } from './painter';
import { MapData, mapData, withLatency } from './map-data';
import { mapRows } from './map-table';
import { wordsOf } from './map-words';

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
    const data = mapData(
      {
        columns: ['osd', 'iops', 'novelty'],
        rows: [
          [3, null, 1],
          [1, 5, 2],
        ],
      },
      LIMITS,
    );
    expect([data.osd, data.host, data.round, data.up]).toEqual([
      [1, 3],
      ['', ''],
      [null, null],
      [true, true],
    ]);
    expect([...data.figures.iops]).toEqual([5, Number.NaN]);
  });

  test('slow is who is slow by both bounds', () => {
    expect(mapData(answer(4, 2), LIMITS).slow).toEqual([false, true, false, false]);
  });

  test('as rows for the table, null for no data', () => {
    const [row] = mapRows(mapData({ columns: ['osd'], rows: [[5]] }, LIMITS));
    expect(row).toMatchObject({ osd: 5, iops: null, round: null, rack: '' });
  });
});

describe('what the watch sees', () => {
  const seen: OsdLatency = {
    columns: ['osd', 'state', 'ratio', 'risk', 'commit_ms', 'read_ms', 'write_ms', 'novelty'],
    states: ['ok', 'suspect', 'slow', 'no-data'],
    rows: [
      [3, 2, 4.1, 31.5, 41, 33, 78, 1],
      [0, 0, 0.98, null, 9.8, 7.8, null, 1],
      [1, 3, null, null, null, null, null, 1],
      [2, 1, 1.42, 4, 14, 11, 27, 1],
      [99, 0, 1, null, 1, 1, 1, 1], // that the map does not know of
    ],
  };
  const data = withLatency(mapData(answer(5, 2), LIMITS), seen);
  const layer = (key: string): (typeof LAYERS)[number] => LAYERS.find((one) => one.key === key)!;
  test('joins the OSDs by their number; one that is not told of has no data', () => {
    expect(data.state).toEqual(['ok', 'no-data', 'suspect', 'slow', 'no-data']);
    expect([...data.figures.commit_ms]).toEqual([9.8, Number.NaN, 14, 41, Number.NaN]);
  });

  test('no risk is a risk of 0, but only of an OSD with data', () => {
    expect([...data.figures.risk]).toEqual([0, Number.NaN, 4, 31.5, Number.NaN]);
    expect([...paint(layer('risk'), data, false, LIMITS).classes]).toEqual([
      0,
      NO_DATA,
      2,
      3,
      NO_DATA,
    ]);
  });

  test('its layers mark its slow OSDs, the others those of the benches', () => {
    expect([...paint(layer('ratio'), data, false, LIMITS).marks]).toEqual([0, 0, SUSPECT, SLOW, 0]);
    expect([...paint(layer('peers'), data, false, LIMITS).marks]).toEqual([0, SLOW, 0, 0, 0]);
  });

  test('who is slow or suspect has a colour of its own, whatever the ratio', () => {
    const { classes, counts } = paint(layer('ratio'), data, false, LIMITS);
    expect([...classes]).toEqual([2, NO_DATA, 5, 6, NO_DATA]);
    expect(counts).toEqual([0, 0, 1, 0, 0, 1, 1]);
    const groups = grouped(data, 'host').map(({ name }) => name);
    const [first] = worstGroups(grouped(data, 'host'), data);
    expect([first?.name, groups.includes(first?.name ?? '')]).toEqual([data.host[3], true]);
  });

  test('as slow as its peers has the even colour, slower another than faster', () => {
    for (const dark of [false, true]) {
      const peers = paint(layer('peers'), data, dark, LIMITS).colours;
      const ratio = paint(layer('ratio'), data, dark, LIMITS).colours;
      const risk = paint(layer('risk'), data, dark, LIMITS).colours;
      expect(ratio).toEqual([...peers].reverse());
      expect([ratio[2], ratio[6]]).toEqual([risk[0], risk[4]]);
    }
  });

  test.each<[number, string[]]>([
    [
      3,
      [
        'osd.3',
        'slow',
        '4.10 times its peers',
        'commit 41.0 · read 33.0 · write 78.0 ms',
        'Risk 31.5',
      ],
    ],
    [0, ['osd.0', 'ok', '0.98 times its peers', 'commit 9.80 · read 7.80 · write – ms']],
    [1, ['osd.1', 'no data']],
  ])('row %p in words', (row, lines) => {
    const text = wordsOf(data, row, true).split('\n');
    expect(text.filter((line) => !line.startsWith('host-'))).toEqual(lines);
  });

  test('as rows for the table', () => {
    expect(mapRows(data)[3]).toMatchObject({ state: 'slow', ratio: 4.1, write_ms: 78 });
    expect(mapRows(data)[1]).toMatchObject({ state: 'no-data', ratio: null, risk: null });
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
    expect(classOf(value, boundsOf(LAYERS[0]!, LIMITS)!)).toBe(found);
  });

  test('every layer has as many colours as classes, in light and in dark', () => {
    const data = mapData(answer(50, 10), LIMITS);
    for (const layer of LAYERS) {
      for (const dark of [false, true]) {
        const painted = paint(layer, data, dark, LIMITS);
        expect(new Set(painted.colours).size).toBe(painted.counts.length);
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

  test.each<[number[], readonly number[]]>([
    [
      [0.4, 0.4, 9, 14],
      [0.5, 1, 2, 5, 10, 20],
    ],
    [
      [100, 5000],
      [200, 500, 1000, 2000, 5000, 10000],
    ],
    [[10, 11], fitted(Float64Array.from([10, 11]))], // close together: even steps
    [[0, 5], fitted(Float64Array.from([0, 5]))],
    [[], []],
  ])('latencies of %p are fitted in ratios', (values, bounds) => {
    const found = fittedInRatios(Float64Array.from(values));
    expect(found.map((bound) => Number(bound.toPrecision(6)))).toEqual(
      bounds.map((bound) => Number(bound.toPrecision(6))),
    );
  });

  test.each([
    [0.5, '0.5'],
    [0.30000000000000004, '0.3'],
    [1.05, '1.05'],
    [12.5, '12.5'],
    [100 / 1.2, '83'],
    [2000, '2000'],
  ])('a bound of %p reads %p', (bound, text) => expect(boundText(bound)).toBe(text));

  test('counts and classes agree', () => {
    const painted = paint(LAYERS[0]!, mapData(answer(50, 10), LIMITS), false, LIMITS);
    expect(painted.counts.reduce((sum, count) => sum + count, 0)).toBe(50);
  });
});

describe('groups', () => {
  test('names go as people count, and each OSD stands in one strip', () => {
    const data = mapData(answer(120, 10, 1), LIMITS);
    const hosts = grouped(data, 'host');
    expect(hosts.map((group) => group.name).slice(0, 3)).toEqual(['host-0', 'host-1', 'host-2']);
    for (const by of ['rack', 'host', 'class'] as const) {
      const rows = grouped(data, by).flatMap((group) => group.strips.flat());
      expect(rows.sort((a, b) => a - b)).toEqual(data.osd);
    }
  });
});

describe('layout', () => {
  const data = mapData(answer(2000, 24, 4), LIMITS);
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

describe('a small cluster uses the room, and has its values in the map', () => {
  test('6 OSDs on 3 hosts have cells with room for a value', () => {
    const groups = ['a', 'b', 'c'].map((name, index) => ({
      name,
      strips: [[2 * index, 2 * index + 1]],
    }));
    expect(fittingSize(groups, 1000, 640)).toBeGreaterThanOrEqual(VALUED);
  });

  test.each([
    ['#fee838', '#000000'],
    ['#dfe3e8', '#000000'],
    ['#00224e', '#ffffff'],
    ['#7f2704', '#ffffff'],
  ])('what is written on %s is %s', (ground, ink) => {
    expect(inkOn(ground)).toBe(ink);
  });

  test('a value has its unit; without a measurement there is none', () => {
    const [layer] = LAYERS;
    const figures = { percent_of_peers: new Float64Array([83.3, 4.5, Number.NaN]) };
    const data = { figures } as unknown as MapData;
    expect([0, 1, 2].map((row) => valueText(layer!, data, row))).toEqual(['83 %', '4.50 %', '']);
  });
});
