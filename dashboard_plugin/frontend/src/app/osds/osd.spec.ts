import { ComponentFixture, TestBed } from '@angular/core/testing';
import { OsdSeries } from '../../generated/types';
import { palette } from '../charts/palette';
import { World, world } from '../../testing/fake-http';
import { button, until } from '../../testing/settle';
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
    expect(digest(points)).toEqual({ mean: (300 * 33 + 60 * 40) / 960, max: 90, bursts: 1 });
    expect(digest([])).toEqual({ mean: null, max: null, bursts: null });
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
  const open = (id: string, made: World = world()): ComponentFixture<OsdComponent> => {
    TestBed.configureTestingModule({ providers: made.providers });
    const fixture = TestBed.createComponent(OsdComponent);
    fixture.componentRef.setInput('id', id);
    return fixture;
  };
  const label = (fixture: ComponentFixture<OsdComponent>): string | undefined =>
    (fixture.nativeElement as HTMLElement)
      .querySelector('pb-osd-series [role=img]')
      ?.getAttribute('aria-label') ?? undefined;

  test('a relieved OSD says what was before and what the map has now, with the way back', async () => {
    const fixture = open('14');
    const text = await until(fixture, (shown) => shown.includes('Relieved by primary affinity'));
    expect(text).toContain('set to 0, was 1, in the OSD map now 0.00, since');
    const command = (fixture.nativeElement as HTMLElement).querySelector('pb-command code');
    expect(command?.textContent).toBe('ceph perf-bench osd relieve 14 --undo');
    fixture.componentRef.setInput('id', '3');
    await until(fixture, (shown) => shown.includes('osd.3') && !shown.includes('Relieved by'));
  });

  test('a slow OSD: the verdict in words and figures, its series, its findings', async () => {
    const made = world();
    const fixture = open('14', made);
    const text = await until(fixture, () => label(fixture) !== undefined);
    for (const words of [
      '▼ slow',
      'by the intermittent rule.',
      'commit: 9 bursts in the last 24 h',
      'Ratio4.10',
      '9 of them in 24 h',
    ]) {
      expect(text).toContain(words);
    }
    expect(label(fixture)).toMatch(/Latency commit of osd\.14, An hour: mean \d/);
    expect(made.http.asked).toContain('GET osd/14/series?since=1h');
  });

  test('one that only a round measured as slow is not just ok', async () => {
    const made = world();
    const { answers } = made.http;
    const osd = answers.osd.bind(answers);
    const text = 'Round 7 measured osd.3 as slow.';
    answers.osd = (id: string) => {
      const found = osd(id);
      return { ...found, state: 'ok', sentences: [text], slow_in_round: 7 };
    };
    const fixture = open('3', made);
    const shown = await until(fixture, (page) => page.includes('as slow'));
    expect(shown).toMatch(/✓ ok▼ slow ?in round 7/);
    const links = [...(fixture.nativeElement as HTMLElement).querySelectorAll('header a')];
    expect(links.map((link) => link.getAttribute('href'))).toContain('#/perf-bench/rounds/7');
  });

  test('why it is slow, asked on request until all is asked', async () => {
    const made = world();
    const fixture = open('14', made);
    await until(fixture, (text) => text.includes('Why it is slow'));
    const asked = () => made.http.asked.filter((one) => one.includes('why'));
    expect(asked()).toEqual([]);
    button(fixture, 'Ask it now').click();
    const first = await until(fixture, (text) => text.includes('are held up by osd.15'));
    expect(first).toMatch(/sub operations\s*97\.0 %\s*0\.0 %/);
    expect(first).toContain('It is asked once more.');
    expect(first).toContain('Not known: Ceph does not tell');
    await until(fixture, () => !button(fixture, 'Ask again').disabled);
    button(fixture, 'Ask again').click();
    await until(fixture, (text) => !text.includes('It is asked once more.'));
    expect(asked()).toEqual(['GET osd/14/why', 'GET osd/14/why']);
  });

  test('an OSD that cannot be asked, and why', async () => {
    const made = world();
    made.http.answers.watch.why = () => {
      throw new Error('osd.14 is down, so it cannot be asked');
    };
    const fixture = open('14', made);
    await until(fixture, (text) => text.includes('Why it is slow'));
    button(fixture, 'Ask it now').click();
    await until(fixture, (text) => text.includes('it cannot be asked'));
  });

  test('another span and another channel', async () => {
    const made = world();
    const fixture = open('14', made);
    await until(fixture, () => label(fixture) !== undefined);
    button(fixture, '30 days').click();
    await until(fixture, () => label(fixture)?.includes('30 days') ?? false);
    expect(label(fixture)).toMatch(/ [1-9]\d* intervals with bursts/);
    const choice = (fixture.nativeElement as HTMLElement).querySelector('select')!;
    choice.value = 'client_write';
    choice.dispatchEvent(new Event('change'));
    await until(fixture, () => label(fixture)?.includes('client write') ?? false);
    await until(fixture, (text) => text.includes('a slow replica shows here too'));
    expect(made.http.asked.filter((one) => one.includes('series'))).toHaveLength(2);
  });

  test('the figures as a table, on request', async () => {
    const fixture = open('14');
    await until(fixture, () => label(fixture) !== undefined);
    const details = (fixture.nativeElement as HTMLElement).querySelector('details')!;
    details.open = true;
    await until(
      fixture,
      (text) => text.includes('Windows with bursts') && text.includes('1–10 of'),
    );
  });

  test.each<[string, (made: World) => void, string]>([
    ['no data', ({ http }) => (http.answers.watch.on = false), 'There are no latencies of this'],
    [
      'no problem was found',
      ({ http }) => (http.answers.watch.calm = true),
      'None, now or before.',
    ],
    ['never measured', ({ http }) => (http.answers.cluster.rounds = 0), 'No round has measured'],
  ])('%s', async (_, change, words) => {
    const made = world();
    change(made);
    await until(open('14', made), (text) => text.includes(words));
  });

  test('no series, and why; the rest of the page lives', async () => {
    const made = world();
    made.http.answers.watch.series = () => {
      throw new Error('the series broke');
    };
    const text = await until(open('14', made), (shown) => shown.includes('the series broke'));
    expect(text).toContain('Bench history');
  });
});

test('the profile that was chosen for the chart stays at the next look', async () => {
  const made = world();
  TestBed.configureTestingModule({ providers: made.providers });
  const fixture = TestBed.createComponent(OsdComponent);
  fixture.componentRef.setInput('id', '3');
  await until(fixture, (text) => text.includes('Bench history'));
  const other = (): HTMLButtonElement =>
    [
      ...(fixture.nativeElement as HTMLElement).querySelectorAll<HTMLButtonElement>(
        '[aria-label="Profile of the chart"] button',
      ),
    ].find((one) => one.textContent.trim() === 'osd-iops')!;
  expect(other().getAttribute('aria-pressed')).toBe('false');
  other().click();
  await until(fixture, () => other().getAttribute('aria-pressed') === 'true');
  const { answers } = made.http;
  const real = answers.answer.bind(answers);
  answers.answer = (question) => {
    const found = real(question) as { body: object };
    return question.path === 'osd/3' ? { body: { ...found.body, commit_ms: 99 } } : found;
  };
  document.dispatchEvent(new Event('visibilitychange'));
  await until(fixture, (text) => text.includes('99'));
  expect(other().getAttribute('aria-pressed')).toBe('true');
});
