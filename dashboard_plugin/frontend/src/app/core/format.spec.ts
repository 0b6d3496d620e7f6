import {
  chance,
  change,
  duration,
  formatLocale,
  localTime,
  mib,
  milliseconds,
  number,
  osdNames,
  parseSize,
  percent,
  rate,
  short,
  size,
  tick,
  utcTime,
} from './format';

describe('figures read as in the CLI', () => {
  test.each<[number | null, string]>([
    [null, '–'],
    [Number.NaN, '–'],
    [0, '0.0'],
    [12.34, '12.3'],
    [999.96, '1000.0'],
    [1234.5, '1235'], // four significant digits and no more
    [-36.04, '-36.0'],
    [-0.04, '0.0'],
  ])('number(%p) is %p', (value, text) => expect(number(value)).toBe(text));

  test.each<[number | null, string]>([
    [null, '–'],
    [0.0412, '0.0412'],
    [14, '14.0'],
    [1234.5, '1235'],
  ])('milliseconds(%p) is %p', (value, text) => expect(milliseconds(value)).toBe(text));

  test.each<[number | null, string]>([
    [null, '–'],
    [2 ** 20, '1.0'],
    [1900 * 2 ** 20, '1900'],
  ])('mib(%p) is %p', (value, text) => expect(mib(value)).toBe(text));

  test('units stand beside figures, never beside the sign for no data', () => {
    expect([rate(2 ** 20), rate(null), percent(83.3), percent(null)]).toEqual([
      '1.0 MiB/s',
      '–',
      '83 %',
      '–',
    ]);
  });

  test.each<[number | null, string]>([
    [null, '–'],
    [0, '0 B'],
    [4096, '4 KiB'],
    [1536, '1.5 KiB'],
    [3 * 2 ** 30, '3 GiB'],
    [2 ** 60, '1024 PiB'], // the last unit there is
  ])('size(%p) is %p', (value, text) => expect(size(value)).toBe(text));

  test.each<[number | null, string]>([
    [null, '–'],
    [1.234, '1.2 s'],
    [42.4, '42 s'],
    [200, '3 min 20 s'],
    [7500, '2 h 05 min'],
    [450_000, '5 d 5 h'],
  ])('duration(%p) is %p', (value, text) => expect(duration(value)).toBe(text));
});

describe('parseSize', () => {
  test.each<[string, number | null]>([
    ['512 MiB', 512 * 2 ** 20],
    ['1g', 2 ** 30],
    ['1,5 KiB', 1536],
    ['4096', 4096],
    ['0', null], // nothing to write is no size
    ['-1 MiB', null],
    ['much', null],
    ['', null],
    ['9999999 TiB', null], // beyond what a number holds exactly
  ])('%p is %p', (text, bytes) => expect(parseSize(text)).toBe(bytes));
});

describe('times', () => {
  test('UTC to the second, and nothing for garbage', () => {
    expect(utcTime('2026-11-21T02:04:05.678Z')).toBe('2026-11-21 02:04:05');
    expect([utcTime(null), utcTime('soon'), localTime('')]).toEqual(['–', '–', '–']);
  });

  test('local time names its zone', () => {
    expect(localTime('2026-11-21T02:04:05Z')).toMatch(/^Nov 2\d, 2026, \d\d:04:05 \S+/);
  });
});

test.each([
  [new Date(2026, 10, 21, 3, 4, 5), '03:04:05'],
  [new Date(2026, 10, 21, 3, 4), '03:04'],
  [new Date(2026, 10, 21), 'Nov 21'],
  [new Date(2026, 10, 1), 'Nov'],
  [new Date(2026, 0, 1), '2026'],
])('the tick at %p is %p', (at, text) => expect(tick(at.getTime())).toBe(text));

test.each([
  [[7], 'osd.7'],
  [[8, 7], 'osd.7 and osd.8'],
  [[5, 4, 3, 2, 1, 0], 'osd.0, osd.1, osd.2, osd.3 and 2 more'],
])('the names of OSDs %p', (osds, text) => expect(osdNames(osds)).toBe(text));

describe('in a German dashboard', () => {
  beforeAll(() => formatLocale.set('de-DE'));
  afterAll(() => formatLocale.set('en'));

  test('a comma divides, and nothing groups', () => {
    expect([number(12.34), number(1234.5), milliseconds(0.0412), size(1536)]).toEqual([
      '12,3',
      '1235',
      '0,0412',
      '1,5 KiB',
    ]);
    expect([change(-3.2), change(0.01), chance(0.00001), short(1 / 3, 3)]).toEqual([
      '−3,2 %',
      '±0,0 %',
      '< 0,0001',
      '0,333',
    ]);
  });

  test('times are in its order; UTC is as the logs have it', () => {
    expect(localTime('2026-11-21T02:04:05Z')).toMatch(/^2\d\. Nov\. 2026, \d\d:04:05 \S+/);
    expect(utcTime('2026-11-21T02:04:05Z')).toBe('2026-11-21 02:04:05');
  });
});
