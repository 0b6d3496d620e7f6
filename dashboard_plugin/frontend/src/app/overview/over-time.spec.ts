import { Type } from '@angular/core';
import { ComponentFixture, TestBed } from '@angular/core/testing';
import { Answers } from '../../../fake/answers.mjs';
import { ClusterLatency, ClusterStrip } from '../../generated/types';
import { palette } from '../charts/palette';
import { World, world } from '../../testing/fake-http';
import { button, shownText, until } from '../../testing/settle';
import { latencyOption, workOption } from './cluster-charts';
import { ClusterComponent } from './cluster.component';
import { OverviewComponent } from './overview.component';
import { columnTime, drawStrip, loudness, worstRows } from './strip';
import { StripComponent } from './strip.component';

const colours = palette(false);

function open<T>(type: Type<T>, made: World = world()): ComponentFixture<T> {
  TestBed.configureTestingModule({ providers: made.providers });
  return TestBed.createComponent(type);
}

function strip(cells: Readonly<Record<string, string>>): ClusterStrip {
  const rows = Object.entries(cells).map(([name, text]) => ({
    name,
    host: 'a',
    osds: 1,
    cells: text,
  }));
  return {
    from: '2026-01-01T00:00:00Z',
    column_seconds: 900,
    rows_are: 'osd',
    rows,
    left_out: 0,
    loud_left_out: 0,
    partial: [],
  };
}

describe('the strip', () => {
  test('the rows that stood out most come first; no data is not loud', () => {
    const shown = strip({ 'osd.0': '--00', 'osd.1': '0100', 'osd.2': '0330' });
    expect(shown.rows.map(loudness)).toEqual([0, 1, 6]);
    expect(worstRows(shown).map(({ name }) => name)).toEqual(['osd.2', 'osd.1']);
    expect(columnTime(shown, 2)).toEqual([1_767_227_400, 1_767_228_300]);
  });

  test('a cell is as dark as its level; one OSD of many rows is still seen', () => {
    const drawn: [string, number, number][] = [];
    const context = {
      fillStyle: '',
      clearRect: () => undefined,
      strokeRect: () => undefined,
      fillRect(this: { fillStyle: string }, x: number, _y: number, _w: number, high: number) {
        drawn.push([this.fillStyle, x, high]);
      },
    } as unknown as CanvasRenderingContext2D;
    const rows = Array.from({ length: 500 }, (_, osd) => [`osd.${osd}`, osd === 7 ? '03' : '0-']);
    const all = { '-': 'white', '0': 'grey', '3': 'dark' };
    const shown = strip(Object.fromEntries(rows) as Record<string, string>);
    drawStrip(context, {
      strip: shown,
      width: 200,
      height: 200,
      column: 1,
      colours: all,
      cursor: 'black',
    });
    expect(drawn).toHaveLength(1001);
    expect(drawn.at(-1)).toEqual(['dark', 100, 2]);
  });

  test('a chosen time says what was different, ranked', async () => {
    const fixture = open(StripComponent);
    await until(fixture, (text) => text.includes('Stood out most'));
    const slider = (fixture.nativeElement as HTMLElement).querySelector('[role=slider]')!;
    slider.dispatchEvent(new KeyboardEvent('keydown', { key: 'End' }));
    const text = await until(fixture, (shown) => shown.includes('What was different'));
    expect(text).toContain('host host-2: 8 of 8 OSDs slow against their peers');
    expect(text).toContain('osd.14 on host-1: slow for 10 min 00 s (67 % of the time)');
    expect(text.indexOf('host host-2:')).toBeLessThan(text.indexOf('osd.14 on'));
    expect(text).toContain('client write of the median OSD: 31.2 ms, usually 19.4 ms');
    expect(text).toContain('Written: 381.5 MiB/s, usually 190.7 MiB/s');
    button(fixture, 'Close').click();
    await until(fixture, (shown) => !shown.includes('What was different'));
  });

  test('rows and differences that are left out are counted, and not all called quiet', async () => {
    const made = world();
    const { overTime } = made.http.answers;
    const rows = overTime.strip.bind(overTime);
    const interval = overTime.interval.bind(overTime);
    overTime.strip = () => ({ ...rows(), left_out: 7, loud_left_out: 5 });
    overTime.interval = (query) => ({ ...interval(query), differences_left_out: 9 });
    const fixture = open(StripComponent, made);
    const text = await until(fixture, (shown) => shown.includes('nothing stood out are'));
    expect(text).toContain('2 rows in which nothing stood out are not shown.');
    expect(text).toContain('Not shown: 5 more');
    const slider = (fixture.nativeElement as HTMLElement).querySelector('[role=slider]')!;
    slider.dispatchEvent(new KeyboardEvent('keydown', { key: 'End' }));
    await until(fixture, (shown) => shown.includes('Not shown: 9 more'));
  });

  test('a chosen time stays chosen when the columns move on', async () => {
    const made = world();
    let from = '2026-01-01T00:00:00Z';
    const asked: string[] = [];
    const { overTime } = made.http.answers;
    overTime.strip = () => ({ ...strip({ 'osd.0': '0000' }), from });
    const interval = overTime.interval.bind(overTime);
    overTime.interval = (query) => {
      asked.push(query.get('begin') ?? '');
      return interval(query);
    };
    const fixture = open(StripComponent, made);
    await until(fixture, (text) => text.includes('Nothing stood out'));
    const slider = (fixture.nativeElement as HTMLElement).querySelector('[role=slider]')!;
    slider.dispatchEvent(new KeyboardEvent('keydown', { key: 'End' }));
    await until(fixture, (text) => text.includes('What was different'));
    from = '2026-01-01T00:15:00Z';
    document.dispatchEvent(new Event('visibilitychange'));
    await until(fixture, () => slider.getAttribute('aria-valuenow') === '2');
    await until(fixture, (text) => text.includes('What was different'));
    expect(new Set(asked)).toEqual(new Set(['1767228300']));
    from = '2026-01-01T01:00:00Z';
    document.dispatchEvent(new Event('visibilitychange'));
    await until(fixture, (text) => !text.includes('What was different'));
  });

  test('what is not known does not look calm', async () => {
    const made = world();
    made.http.answers.watch.on = false;
    const text = await until(open(StripComponent, made), (shown) => shown.includes('no data of'));
    expect(text).not.toContain('Nothing stood out');
  });

  test('a calm day is calm as far as there is data', async () => {
    const made = world();
    made.http.answers.overTime.strip = () => strip({ 'osd.0': '-000' });
    await until(open(StripComponent, made), (shown) => shown.includes('Nothing stood out'));
  });
});

describe('the cluster over time', () => {
  const answer = (since: string, made: Answers = world().http.answers): ClusterLatency =>
    made.overTime.latency(new URLSearchParams({ since }));
  interface Line {
    name: string;
    data: [number, number | null][];
    markLine?: { data: object[] };
  }
  const lines = (option: unknown): Line[] => (option as { series: Line[] }).series;

  test('percentiles of a group, with what happened as marks', () => {
    const shown = lines(latencyOption(answer('1d'), '', colours));
    expect(shown.map(({ name }) => name)).toEqual([
      'Median OSD',
      '95th percentile',
      '99th percentile',
    ]);
    const [median, , highest] = shown;
    expect(median?.data).toHaveLength(288);
    expect(highest?.data[0]?.[1]).toBeCloseTo(3.2 * (median?.data[0]?.[1] ?? 0));
    expect(median?.markLine?.data.length).toBe(4);
  });

  test('a time that nobody saw is a gap', () => {
    const day = answer('1d');
    const holed = (rows: ClusterLatency['work']): ClusterLatency['work'] =>
      rows.filter((_, index) => index < 100 || index > 110);
    const cut = { ...day, work: holed(day.work) };
    const [reads] = lines(workOption(cut, 'iops', colours));
    expect(reads?.data.filter(([, value]) => value === null)).toHaveLength(1);
    const [read] = lines(workOption(day, 'bytes', colours));
    expect(read?.data[0]?.[1]).toBeCloseTo((day.work[0]?.[4] ?? 0) / 2 ** 20);
  });

  test('a span is chosen, and its events are listed', async () => {
    const made = world();
    const fixture = open(ClusterComponent, made);
    await until(fixture, (text) => text.includes('What happened in this time (0)'));
    button(fixture, 'A day').click();
    const text = await until(fixture, (shown) => shown.includes('in this time (4)'));
    expect(text).toContain('Configuration: osd/osd_max_backfills from 1 to 8');
    expect(text).toContain('Restarted: osd.14, osd.3');
  });

  test('without data it says so', async () => {
    const made = world();
    made.http.answers.watch.on = false;
    await until(open(ClusterComponent, made), (text) => text.includes('Nothing is stored'));
  });
});

describe('rounds on the overview', () => {
  test('findings for how long, rounds how long ago; old benches are no news', async () => {
    const made = world();
    const text = await until(
      open(OverviewComponent, made),
      (shown) => shown.includes('for 6 h') && shown.includes(' ago'),
    );
    expect(text).toContain('What to do');
    const later = world();
    const { answers } = later.http;
    const osds = answers.osds.bind(answers);
    answers.osds = (query: URLSearchParams) => {
      const found = osds(query);
      const old = JSON.parse(JSON.stringify(found.body)) as { last_bench: { at: string } | null }[];
      for (const one of old) if (one.last_bench) one.last_bench.at = '2020-01-01T00:00:00Z';
      return { ...found, body: old };
    };
    TestBed.resetTestingModule();
    await until(open(OverviewComponent, later), (shown) => shown.includes('The newest bench is'));
  });
});

test('latencies of one channel are not called those of another', async () => {
  const made = world();
  TestBed.configureTestingModule({ providers: made.providers });
  const fixture = TestBed.createComponent(ClusterComponent);
  await until(fixture, (text) => text.includes('commit: median'));
  made.http.holds = (_, query) => query['channel'] === 'read';
  const select = (fixture.nativeElement as HTMLElement).querySelector<HTMLSelectElement>(
    '#pb-cluster-channel',
  )!;
  select.value = 'read';
  select.dispatchEvent(new Event('change'));
  await until(fixture, () => made.http.letGo.length > 0);
  expect(shownText(fixture)).not.toContain('read: median');
  made.http.letGo[0]!();
  await until(fixture, (text) => text.includes('read: median'));
});
