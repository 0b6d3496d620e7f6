import { ComponentFixture } from '@angular/core/testing';
import { ClusterInterval, ClusterLatency, ClusterStrip } from '../../generated/types';
import { recorded, world } from '../../testing/recorded';
import { button, show, shownText, type, until } from '../../testing/settle';
import { palette } from '../charts/palette';
import { latencyOption, workOption } from './cluster-charts';
import { ClusterComponent } from './cluster.component';
import { StripComponent } from './strip.component';

const colours = palette(false);

function shownStrip(cells: Readonly<Record<string, string>>): ClusterStrip {
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

const INTERVAL: Partial<ClusterInterval> = {
  known_seconds: 900,
  differences: [
    { kind: 'osd', name: '4', host: 'host-1', value: 600, usual: null, share: 0.667 },
    { kind: 'latency', name: 'client_write', host: null, value: 31.2, usual: 19.4, share: null },
  ],
  differences_left_out: 9,
  events: [],
  events_left_out: {},
  configuration: 'told',
};

function slider(fixture: ComponentFixture<StripComponent>): HTMLInputElement {
  return (fixture.nativeElement as HTMLElement).querySelector('[type=range]')!;
}

function choose(fixture: ComponentFixture<StripComponent>, column: number): void {
  slider(fixture).value = String(column);
  slider(fixture).dispatchEvent(new Event('input'));
}

describe('the strip', () => {
  test('the rows that stood out most come first, each under its name; no data is not loud', async () => {
    const made = world();
    const rows = { 'osd.0': '--00', 'osd.1': '0100', 'osd.2': '0330' };
    made.http.on('GET cluster/strip', () => shownStrip(rows));
    const fixture = show(StripComponent, made);
    await until(fixture, (text) => text.includes('osd.2'));
    const lines = [...(fixture.nativeElement as HTMLElement).querySelectorAll('tr')];
    const told = lines.map((line) =>
      [...line.cells].map((cell) => `${cell.textContent.trim()} ${cell.colSpan}`).join(', '),
    );
    expect(told).toEqual([
      'osd.2 1, nothing stood out 1, over half of the time 2, nothing stood out 1',
      'osd.1 1, nothing stood out 1, a little 1, nothing stood out 2',
      'osd.0 1, no data 2, nothing stood out 2',
    ]);
  });

  test('of many rows the loudest are shown, and the others counted', async () => {
    const made = world();
    const rows = Array.from({ length: 60 }, (_, osd) => [`osd.${osd}`, osd > 29 ? '03' : '00']);
    made.http.on('GET cluster/strip', () =>
      shownStrip(Object.fromEntries(rows) as Record<string, string>),
    );
    const text = await until(show(StripComponent, made), (shown) => shown.includes('Not shown'));
    expect(text).toContain('Not shown: 14 more that stood out');
    expect(text).toContain('30 rows in which nothing stood out are not shown.');
  });

  test('a chosen time says what was different; what is left out is counted', async () => {
    const made = world();
    const rows = shownStrip({ 'osd.0': '-000', 'osd.4': '0130' });
    made.http.on('GET cluster/strip', () => ({ ...rows, left_out: 7, loud_left_out: 5 }));
    made.http.on('GET cluster/interval', () => INTERVAL);
    const fixture = show(StripComponent, made);
    const before = await until(fixture, (text) => text.includes('2 rows in which nothing'));
    expect(before).toContain('Not shown: 5 more');
    choose(fixture, 3);
    const text = await until(fixture, (shown) => shown.includes('What was different'));
    expect(text).toContain('osd.4 on host-1: slow for 10 min 00 s (67 % of the time)');
    expect(text).toContain('client write of the median OSD: 31.2 ms, usually 19.4 ms');
    expect(text).toContain('Not shown: 9 more');
    button(fixture, 'Close').click();
    await until(fixture, (shown) => !shown.includes('What was different'));
  });

  test('a chosen time stays chosen when the columns move on', async () => {
    const made = world();
    let from = '2026-01-01T00:00:00Z';
    made.http.on('GET cluster/strip', () => ({ ...shownStrip({ 'osd.0': '0000' }), from }));
    made.http.on('GET cluster/interval', () => INTERVAL);
    const fixture = show(StripComponent, made);
    await until(fixture, (text) => text.includes('Nothing stood out'));
    choose(fixture, 3);
    await until(fixture, (text) => text.includes('What was different'));
    from = '2026-01-01T00:15:00Z';
    document.dispatchEvent(new Event('visibilitychange'));
    await until(fixture, () => slider(fixture).value === '2');
    const asked = made.http.asked.filter((one) => one.includes('interval'));
    expect(new Set(asked)).toEqual(
      new Set(['GET cluster/interval?begin=1767228300&end=1767229200']),
    );
    from = '2026-01-01T01:00:00Z';
    document.dispatchEvent(new Event('visibilitychange'));
    await until(fixture, (text) => !text.includes('What was different'));
  });

  test('what is not known does not look calm', async () => {
    const made = world();
    made.http.on('GET cluster/strip', () => shownStrip({ 'osd.0': '----' }));
    const text = await until(show(StripComponent, made), (shown) => shown.includes('no data of'));
    expect(text).not.toContain('Nothing stood out');
  });
});

describe('the cluster over time', () => {
  const hour = recorded('slow').answers['GET cluster/latency?since=1h&channel=commit']!
    .body as ClusterLatency;
  interface Line {
    name: string;
    data: [number, number | null][];
    markLine?: { data: object[] };
  }
  const lines = (option: unknown): Line[] => (option as { series: Line[] }).series;

  test('percentiles of a group, with what happened as marks', () => {
    const shown = lines(latencyOption(hour, '', colours));
    expect(shown.map(({ name }) => name)).toEqual([
      'Median OSD',
      '95th percentile',
      '99th percentile',
    ]);
    const [median, , highest] = shown;
    expect(highest!.data.at(-1)![1]).toBeGreaterThan(median!.data.at(-1)![1]!);
    expect(median?.markLine?.data).toHaveLength(hour.events.length);
  });

  test('a time that nobody saw is a gap', () => {
    const cut = { ...hour, work: hour.work.filter((_, index) => index < 10 || index > 20) };
    const [reads] = lines(workOption(cut, 'iops', colours));
    expect(reads?.data.filter(([, value]) => value === null)).toHaveLength(1);
    const [read] = lines(workOption(hour, 'bytes', colours));
    expect(read?.data[0]?.[1]).toBeCloseTo((hour.work[0]?.[4] ?? 0) / 2 ** 20);
  });

  test('without data it says so', async () => {
    const made = world();
    made.http.change<ClusterLatency>('GET cluster/latency', { work: [], groups: [] });
    await until(show(ClusterComponent, made), (text) => text.includes('Nothing is stored'));
  });
});

test('latencies of one channel are not called those of another', async () => {
  const made = world();
  const hour = made.http.body<ClusterLatency>('GET cluster/latency');
  made.http.on('GET cluster/latency', ({ query }) => ({ ...hour, channel: query['channel'] }));
  const fixture = show(ClusterComponent, made);
  await until(fixture, (text) => text.includes('commit: median'));
  made.http.holds = ({ query }) => query['channel'] === 'read';
  type(fixture, 'cluster-channel', 'read');
  await until(fixture, () => made.http.letGo.length > 0);
  expect(shownText(fixture)).not.toContain('read: median');
  made.http.letGo[0]!();
  await until(fixture, (text) => text.includes('read: median'));
});
