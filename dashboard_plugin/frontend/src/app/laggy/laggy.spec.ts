import { ComponentFixture, TestBed } from '@angular/core/testing';
import { Episode, Suspect } from '../../generated/types';
import { World, world } from '../../testing/fake-http';
import { shownText, until } from '../../testing/settle';
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
  expect(ends([episode({ from: ago(0.1) }), episode({ from: null })])).toEqual([-60, 0]);
  expect(ends([episode({ from: ago(0.1) }), episode({ from: ago(30) })])).toEqual([-1800, 0]);
});

describe('the page', () => {
  const open = (made: World): ComponentFixture<LaggyComponent> => {
    TestBed.configureTestingModule({ providers: made.providers });
    return TestBed.createComponent(LaggyComponent);
  };

  test('now, the episodes with their suspects and rounds, the OSDs and the pools', async () => {
    const fixture = open(world());
    const text = await until(fixture, (shown) => shown.includes('cephfs.a.data'));
    for (const words of [
      '3 PGs are laggy and 1 waits, of 768.',
      'still going on',
      'osd.14 (94 % of it, no report for 25 s)',
      'stuck, caused by no OSD',
      '31.0 %',
    ]) {
      expect(text).toContain(words);
    }
    const links = [...(fixture.nativeElement as HTMLElement).querySelectorAll('a')];
    const routes = links.map((link) => link.getAttribute('href'));
    expect(routes).toContain('#/perf-bench/rounds/12');
    expect(routes).toContain('#/perf-bench/osds/14');
  });

  test('what is left out is counted', async () => {
    const made = world();
    const { answers } = made.http;
    const laggy = answers.watch.laggy.bind(answers.watch);
    answers.watch.laggy = () => {
      const found = laggy();
      const [first, ...others] = found.episodes;
      const episodes = [{ ...first!, suspects_left_out: 24, pools_left_out: 7 }, ...others];
      return { ...found, episodes, episodes_left_out: 151, osds_left_out: 28 };
    };
    const text = await until(open(made), (shown) => shown.includes('Not shown: 151 more'));
    expect(text).toContain('; 24 more');
    expect(text).toContain('rbd, 7 more');
    expect(text).toContain('up to 28 others had laggy PGs in it');
  });

  test.each<[string, (made: World) => void, string, string]>([
    [
      'calm',
      ({ http }) => (http.answers.watch.calm = true),
      'No PG is laggy or waiting, of 768.',
      'No PG has been laggy so far.',
    ],
    ['off', ({ http }) => (http.answers.watch.on = false), 'The watch is off', 'Episodes'],
    ['forbidden', ({ http }) => (http.answers.mode = 'forbidden'), 'lack the permission', ''],
    ['broken', ({ http }) => (http.answers.mode = 'broken'), 'an error of its own', 'Try again'],
  ])('%s', async (_, change, words, also) => {
    const made = world();
    change(made);
    await until(open(made), (text) => text.includes(words) && text.includes(also));
  });

  test('a watch that is off does not say that no PG is laggy', async () => {
    const made = world();
    Object.assign(made.http.answers.watch, { on: false, calm: true });
    const text = await until(open(made), (shown) => shown.includes('The watch is off'));
    expect(text).not.toContain('No PG is laggy or waiting');
  });

  test.each([
    ['all PGs were looked at', true, 1],
    ['some PGs have no OSD that is up', false, 0],
  ])('calm is good only if it is of all PGs: %s', async (_, complete, good) => {
    const made = world();
    const { answers } = made.http;
    answers.watch.calm = true;
    const real = answers.answer.bind(answers);
    const look = {
      ...{ name: 'laggy_pgs', unit: 'PG', what: 'states of PGs', codes: [], gaps: [] },
      ...{ total: 768, looked: complete ? 768 : 468, partly: 0, complete, summary: 'so many' },
      sentences: complete ? [] : ['300 PGs not looked at: the OSDs that have them are down'],
    };
    answers.answer = (question) =>
      question.path === 'coverage' ? { body: [look] } : real(question);
    const fixture = open(made);
    await until(fixture, (text) => text.includes('No PG is laggy') && text.includes('so many'));
    const element = fixture.nativeElement as HTMLElement;
    expect(element.querySelectorAll('.pb-remark--good')).toHaveLength(good);
    expect(shownText(fixture).includes('the OSDs that have them are down')).toBe(!complete);
  });
});
