import { ComponentFixture } from '@angular/core/testing';
import { OsdDetail, OsdSeries } from '../../generated/types';
import { World, world } from '../../testing/recorded';
import { button, show, until } from '../../testing/settle';
import { palette } from '../charts/palette';
import { Refusal } from '../core/refusal';
import { OsdComponent } from './osd.component';
import { channelsOf, digest, pointsOf, withGaps } from './series';
import { seriesOption } from './series-chart';

const SERIES: OsdSeries = {
  osd: 3,
  from: '2026-11-21T00:00:00Z',
  to: '2026-11-21T01:00:00Z',
  columns: ['at', 'seconds', 'mean_ms', 'max_ms', 'ops', 'slow_frames'],
  channels: {
    read: [],
    commit: [
      [1000, 300, 10, 12, 900, 0],
      [1300, 300, 13, 90, 900, 2],
      [2500, 300, 10, 11, null, null], // after a quarter of an hour of nothing
      [2800, 60, 40, null, 60, null],
    ],
    novelty: [[1, 60, 1, 1, 1, 1]],
  },
  peers: null,
};

describe('a series', () => {
  const points = pointsOf(SERIES, 'commit');

  test('only channels with points are offered, and only those that have a name here', () => {
    expect(channelsOf(SERIES)).toEqual(['commit']);
    expect(pointsOf(SERIES, 'queue')).toEqual([]);
  });

  test('a burst survives: the maximum, and in how many windows it was slow', () => {
    expect(points[1]).toMatchObject({ at: 1_300_000, mean: 13, max: 90, slow: 2 });
    expect(points[2]).toMatchObject({ ops: null, slow: null });
  });

  test('columns in another order, or fewer, are read all the same', () => {
    const other = { ...SERIES, columns: ['mean_ms', 'at'], channels: { commit: [[7, 60]] } };
    expect(pointsOf(other, 'commit')).toEqual([
      { at: 60_000, seconds: 0, mean: 7, max: null, ops: null, slow: null },
    ]);
  });

  test('a gap is a point of nothing, where the points end', () => {
    const shown = withGaps(points);
    expect(shown.map(({ at, mean }) => [at / 1000, mean])).toEqual([
      [1000, 10],
      [1300, 13],
      [1600, null],
      [2500, 10],
      [2800, 40],
    ]);
  });

  test('the mean goes by time, and what is unknown counts for nothing', () => {
    expect(digest(points)).toEqual({
      mean: (300 * 33 + 60 * 40) / 960,
      max: 90,
      bursts: 1,
      rate: 1860 / 660,
    });
    expect(digest([])).toEqual({ mean: null, max: null, bursts: null, rate: null });
  });

  test('the chart has a band up to the maximum and a mark on the burst', () => {
    const option = seriesOption(points, [SERIES.from, SERIES.to], palette(false));
    const [mean, band, marks] = (option['series'] as { data: [number, number | null][] }[]).map(
      (one) => one.data.map(([, value]) => value),
    );
    expect(mean).toEqual([10, 13, null, 10, 40]);
    expect(band).toEqual([2, 77, null, 1, null]);
    expect(marks).toEqual([null, 90, null, null, null]);
    expect(option['xAxis']).toMatchObject({ min: SERIES.from, max: SERIES.to });
    const { formatter } = option['tooltip'] as { formatter: (hits: unknown[]) => string };
    expect(formatter([{ dataIndex: 1 }])).toContain('bursts in 2 windows');
    expect([formatter([{ dataIndex: 2 }]), formatter([])]).toEqual(['no data', 'no data']);
  });
});

describe('the page', () => {
  const open = (made: World): ComponentFixture<OsdComponent> =>
    show(OsdComponent, made, { id: '4' });
  const label = (fixture: ComponentFixture<OsdComponent>): string =>
    (fixture.nativeElement as HTMLElement)
      .querySelector('pb-osd-series [role=img]')
      ?.getAttribute('aria-label') ?? '';

  test('a relieved OSD says what was before and what the map has now, with the way back', async () => {
    const made = world();
    const relieved = [{ what: 'primary-affinity', was: 1, set_to: 0, since: null }];
    made.http.change<object>('GET osd/4', { relieved });
    const fixture = open(made);
    await until(fixture, (text) => text.includes('Relieved by'));
    const command = (fixture.nativeElement as HTMLElement).querySelector('pb-command code');
    expect(command?.textContent).toBe('ceph perf-bench osd relieve 4 --undo');
  });

  test('where its time goes, asked on request until all is asked', async () => {
    const made = world();
    const fixture = open(made);
    await until(fixture, (text) => text.includes('Where its time goes'));
    const asked = () => made.http.asked.filter((one) => one.includes('why'));
    expect(asked()).toEqual([]);
    button(fixture, 'Ask it now').click();
    await until(fixture, (text) => asked().length === 1 && text.includes('Ask again'));
    await until(fixture, () => !button(fixture, 'Ask again').disabled);
    made.http.refuses = ({ name }) =>
      name.endsWith('/why') ? new Refusal('busy', 'osd.4 is down, so it cannot be asked') : null;
    button(fixture, 'Ask again').click();
    await until(fixture, (text) => text.includes('it cannot be asked'));
  });

  test('another span and another channel; the figures as a table', async () => {
    const made = world();
    const fixture = open(made);
    await until(fixture, () => label(fixture) !== '');
    button(fixture, 'A day').click();
    await until(fixture, () => label(fixture).includes('A day'));
    const choice = (fixture.nativeElement as HTMLElement).querySelector('select')!;
    choice.value = 'client_write';
    choice.dispatchEvent(new Event('change'));
    await until(fixture, (text) => text.includes('a slow replica shows here too'));
    const asked = made.http.asked.filter((one) => one.includes('series'));
    expect(asked.filter((one) => !one.includes('channel'))).toHaveLength(2);
    expect(asked.at(-1)).toBe('GET osd/4/series?since=1d&channel=client_write');
    const table = (fixture.nativeElement as HTMLElement).querySelector('pb-osd-series details')!;
    (table as HTMLDetailsElement).open = true;
    await until(fixture, (text) => text.includes('Windows with bursts'));
  });

  test('no series, and why; the rest of the page lives', async () => {
    const made = world();
    made.http.refuses = ({ name }) =>
      name.endsWith('/series') ? new Refusal('broken', 'the series broke') : null;
    const text = await until(open(made), (shown) => shown.includes('the series broke'));
    expect(text).toContain('Bench history');
  });

  test('the profile that was chosen for the chart stays at the next look', async () => {
    const made = world();
    const fixture = open(made);
    await until(fixture, (text) => text.includes('Bench history'));
    const element = fixture.nativeElement as HTMLElement;
    const other = (): HTMLButtonElement =>
      [
        ...element.querySelectorAll<HTMLButtonElement>(
          '[aria-label="Profile of the chart"] button',
        ),
      ].find((one) => one.textContent.trim() === 'osd-iops')!;
    other().click();
    await until(fixture, () => other().getAttribute('aria-pressed') === 'true');
    made.http.change<OsdDetail>('GET osd/4', { commit_ms: 99 });
    document.dispatchEvent(new Event('visibilitychange'));
    await until(fixture, (text) => text.includes('99'));
    expect(other().getAttribute('aria-pressed')).toBe('true');
  });
});
