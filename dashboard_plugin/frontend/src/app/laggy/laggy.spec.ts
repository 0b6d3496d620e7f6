import { Episode, Laggy, Look, Status, Suspect } from '../../generated/types';
import { World, world } from '../../testing/recorded';
import { show, until } from '../../testing/settle';
import { palette } from '../charts/palette';
import { episodeColumns, episodesOption, suspectsText } from './episodes';
import { LaggyComponent } from './laggy.component';

const suspect = (osd: number, rest: Partial<Suspect> = {}): Suspect => ({
  osd,
  host: 'host-0',
  laggy_pg_seconds: 90,
  part: 0.94,
  share: 0.3,
  stale_seconds: 0,
  slow_ops: 0,
  ...rest,
});
const episode = (rest: Partial<Episode>): Episode => ({
  from: '2026-11-21T02:00:00Z',
  to: null,
  seconds: null,
  peak: 3,
  laggy_pg_seconds: 100,
  suspects: [],
  suspects_left_out: 0,
  stuck: false,
  pools: ['rbd'],
  pools_left_out: 0,
  round: null,
  ...rest,
});

test.each<[string, Partial<Episode>, string]>([
  ['nobody', {}, 'no OSD stands out'],
  ['stuck', { stuck: true, suspects: [suspect(1)] }, 'stuck, caused by no OSD'],
  ['one', { suspects: [suspect(1)] }, 'osd.1 (94 % of it)'],
  [
    'two, one silent',
    { suspects: [suspect(1, { stale_seconds: 25 }), suspect(2, { part: 0.5 })] },
    'osd.1 (94 % of it, no report for 25 s); osd.2 (50 % of it)',
  ],
  ['many', { suspects: [suspect(1)], suspects_left_out: 24 }, 'osd.1 (94 % of it); 24 more'],
])('who is behind it: %s', (_, rest, text) => {
  expect(suspectsText(episode(rest))).toBe(text);
});

test('the chart tells episodes under a round of ours from the others', () => {
  const option = episodesOption([episode({}), episode({ round: 7, peak: 9 })], 9, palette(true));
  const [plain, round] = (option['series'] as { data: [string, number | null][] }[]).map((one) =>
    one.data.map(([, peak]) => peak),
  );
  expect([plain, round]).toEqual([
    [3, null],
    [null, 9],
  ]);
  const { formatter } = option['tooltip'] as { formatter: (hit: object) => string };
  expect(formatter({ dataIndex: 1 })).toMatch(/still going on\n.*9\nno OSD stands out\nRound 7$/);
  expect(formatter({ dataIndex: 5 })).toBe('');
});

test.each([
  [3, 'still going on'],
  [0, 'no PG now'],
])('an open episode while %s PGs are laggy: %s', (laggy, text) => {
  const took = episodeColumns(laggy).find(({ key }) => key === 'seconds');
  expect(took?.text?.(episode({}))).toBe(text);
  expect(took?.text?.(episode({ seconds: 90 }))).not.toBe(text);
  expect(took?.text?.(episode({ seconds: 0 }))).toBe('one look');
});

test('the chart goes to now, and back to the first episode or an hour', () => {
  const now = Date.now();
  const ends = (episodes: Episode[]): number[] => {
    const { min, max } = episodesOption(episodes, 0, palette(true))['xAxis'] as {
      min: number;
      max: number;
    };
    return [min - now, max - now].map((one) => Math.round(one / 60_000));
  };
  const ago = (hours: number): string => new Date(now - hours * 3600_000).toISOString();
  expect(ends([])).toEqual([-60, 0]);
  expect(ends([episode({ from: ago(0.1) })])).toEqual([-60, 0]);
  expect(ends([episode({ from: ago(0.1) }), episode({ from: ago(30) })])).toEqual([-1800, 0]);
});

describe('the page', () => {
  const more = (made: World, changes: Partial<Laggy>): void =>
    made.http.change<Laggy>('GET laggy', changes);

  test('episodes with their suspects and rounds; what is left out is counted', async () => {
    const made = world();
    const [one] = [episode({ suspects: [suspect(4)], round: 3, suspects_left_out: 24 })];
    const now = { ...made.http.body<Laggy>('GET laggy').now, laggy: 3, wait: 1 };
    const osds = [{ osd: 4, host: 'host-1', laggy_pg_seconds: 90, share: 0.2 }];
    more(made, { now, episodes: [one], episodes_left_out: 151, osds, osds_left_out: 28 });
    const fixture = show(LaggyComponent, made);
    const text = await until(fixture, (shown) => shown.includes('Not shown: 151 more'));
    expect(text).toContain('3 PGs are laggy and 1 waits, of 64.');
    expect(text).toContain('osd.4 (94 % of it); 24 more');
    expect(text).toContain('up to 28 others had laggy PGs in it');
    const links = [...(fixture.nativeElement as HTMLElement).querySelectorAll('a')];
    expect(links.map((link) => link.getAttribute('href'))).toContain('#/perf-bench/rounds/3');
  });

  test('a watch that is off does not say that no PG is laggy', async () => {
    const made = world();
    const { watch } = made.http.body<Status>('GET status');
    made.http.change<Status>('GET status', { watch: { ...watch, on: false } });
    const { now } = made.http.body<Laggy>('GET laggy');
    more(made, { now: { ...now, at: null } });
    const text = await until(show(LaggyComponent, made), (shown) =>
      shown.includes('The watch is off'),
    );
    expect(text).not.toContain('No PG is laggy or waiting');
  });

  test.each([
    ['all PGs were looked at', true, 1],
    ['some PGs have no OSD that is up', false, 0],
  ])('calm is good only if it is of all PGs: %s', async (_, complete, good) => {
    const made = world({ scenes: ['calm'] });
    made.http.change<Look[]>('GET coverage', (looks) =>
      looks.map((one) => (one.name === 'laggy_pgs' ? { ...one, complete } : one)),
    );
    const fixture = show(LaggyComponent, made);
    await until(fixture, (text) => text.includes('No PG is laggy') && text.includes('PGs'));
    const element = fixture.nativeElement as HTMLElement;
    expect(element.querySelectorAll('.pb-remark--good')).toHaveLength(good);
  });
});
