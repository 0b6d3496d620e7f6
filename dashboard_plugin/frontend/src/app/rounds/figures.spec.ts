import { Sample } from '../../generated/types';
import { histogram, median } from './histogram';
import { EMPTY, check, request } from './start-form';
import { WaveGatherer } from './waves';

describe('histogram', () => {
  test('no values, no histogram', () => expect(histogram([Number.NaN])).toBeNull());

  test.each([
    [[5, 5, 5]], // no width at all
    [[1, 2, 3, 4, 100]],
    [[0.001, 0.002]],
    [Array.from({ length: 10_000 }, (_, index) => index)],
  ])('each value stands in one box', (values) => {
    const found = histogram(values)!;
    expect(found.bins.reduce((sum, bin) => sum + bin.count, 0)).toBe(values.length);
    expect(found.bins.length).toBeLessThanOrEqual(32);
    expect(found.bins[0]!.from).toBeLessThanOrEqual(found.low);
    expect(found.bins.at(-1)!.to).toBeGreaterThanOrEqual(found.high);
  });

  test.each([
    [[1, 2, 3], 2],
    [[1, 2, 3, 4], 2.5],
    [[7], 7],
  ])('median of %p is %p', (values, middle) => expect(median(values)).toBe(middle));
});

describe('waves', () => {
  const sample = (repeat: number, wave: number, at: string | null, value: number | null): Sample =>
    ({ repeat, wave, started_at: at, iops: value }) as Sample;

  test('pages of samples become a point a wave, in the order of time', () => {
    const gatherer = new WaveGatherer((one) => one.iops);
    gatherer.add([
      sample(1, 0, '2026-01-01T00:01:00Z', 40),
      sample(0, 0, '2026-01-01T00:00:01Z', 10),
    ]);
    gatherer.add([
      sample(0, 0, '2026-01-01T00:00:00Z', 30),
      sample(0, 0, null, 99), // never began
      sample(0, 1, '2026-01-01T00:00:30Z', null), // measured nothing
    ]);
    expect(gatherer.points()).toEqual([
      { at: Date.UTC(2026, 0, 1), repeat: 0, wave: 0, low: 10, median: 20, high: 30 },
      { at: Date.UTC(2026, 0, 1, 0, 1), repeat: 1, wave: 0, low: 40, median: 40, high: 40 },
    ]);
  });
});

describe('the start form', () => {
  test.each([
    [{}, {}],
    [{ repeats: '3', size: '1 GiB' }, {}],
    [{ repeats: '0' }, { repeats: 'start.repeats.bad' }],
    [{ repeats: '2.5' }, { repeats: 'start.repeats.bad' }],
    [{ rests: 'some' }, { rests: 'start.rests.bad' }],
    [{ max_repeats: 'many' }, { max_repeats: 'start.repeats.bad' }],
    [
      { size: 'much', repeats: 'many' },
      { repeats: 'start.repeats.bad', size: 'start.size.bad' },
    ],
  ])('%p is wrong in %p', (fields, wrong) => expect(check({ ...EMPTY, ...fields })).toEqual(wrong));

  test('a profile with parts is not asked what means nothing to it', () => {
    const typed = { ...EMPTY, size: '1 MiB', max_repeats: '4', rest: '20m', rests: '0' };
    expect(request({ ...typed, profile: 'osd-sandwich' })).toEqual({
      profile: 'osd-sandwich',
      rest: '20m',
      rests: 0,
    });
    expect(request({ ...typed, profile: 'osd-wal' })).toEqual({ profile: 'osd-wal' });
  });

  test('empty fields are left to the profile', () => {
    expect(request({ ...EMPTY, profile: 'p', osds: '  ' })).toEqual({ profile: 'p' });
    const full = {
      ...EMPTY,
      profile: 'p',
      osds: '0,1',
      repeats: '2',
      max_repeats: '4',
      size: '1 MiB',
      label: ' x ',
      force: true,
    };
    expect(request(full)).toEqual({
      profile: 'p',
      osds: '0,1',
      repeats: 2,
      max_repeats: 4,
      size: 2 ** 20,
      label: 'x',
      force: true,
    });
  });
});
