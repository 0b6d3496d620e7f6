import { ClusterLatency, ClusterStrip } from '../../generated/types';
import { recorded, world } from '../../testing/recorded';
import { show, shownText, type, until } from '../../testing/settle';
import { palette } from '../charts/palette';
import { latencyOption, workOption } from './cluster-charts';
import { ClusterComponent } from './cluster.component';
import { StripComponent } from './strip.component';

const colours = palette(false);

describe('the strip', () => {
  const strip: ClusterStrip = {
    from: '2026-01-01T00:00:00Z',
    column_seconds: 900,
    columns: 4,
    columns_known: 3,
    rows: [{ osd: 2, host: 'a', cells: '-330' }],
    left_out: 14,
  };

  test('an OSD that stood out has its times under its name; others are counted', async () => {
    const made = world();
    made.http.on('GET cluster/strip', () => strip);
    const fixture = show(StripComponent, made);
    const text = await until(fixture, (shown) => shown.includes('osd.2'));
    const lines = [...(fixture.nativeElement as HTMLElement).querySelectorAll('tr')];
    const told = lines.map((line) =>
      [...line.cells].map((cell) => `${cell.textContent.trim()} ${cell.colSpan}`).join(', '),
    );
    expect(told).toEqual(['osd.2 1, no data 1, over half of the time 2, nothing stood out 1']);
    expect(text).toContain('Not shown: 14 more that stood out');
  });

  test.each([
    [3, 'No OSD stood out in the 24 hours'],
    [0, 'There is no data of the last 24 hours'],
  ])('with %s known columns and no OSD it says %s', async (known, words) => {
    const made = world();
    made.http.on('GET cluster/strip', () => ({ ...strip, columns_known: known, rows: [] }));
    const text = await until(
      show(StripComponent, made),
      (shown) => shown.includes('24 hours,') || shown.includes('no data of'),
    );
    expect(text).toContain(words);
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
