import { ComponentFixture, TestBed } from '@angular/core/testing';
import { Refused } from '../../../fake/refused.mjs';
import { History, Round } from '../../generated/types';
import { READER, World, world } from '../../testing/fake-http';
import { button, shownText, until } from '../../testing/settle';
import { FrameComponent } from '../frame/frame.component';
import { figuresOf, levelsOf, rowsOf } from './past';

function open(route: string, made: World): ComponentFixture<FrameComponent> {
  made.host.route.set(route);
  TestBed.configureTestingModule({ providers: made.providers });
  return TestBed.createComponent(FrameComponent);
}

const past = (changes: readonly [round: number, before: number, after: number][]): History => ({
  profile: 'p',
  block_size: 2 ** 22,
  baseline: 2,
  cv_percent: 1,
  least_percent: 3,
  points: [1, 2, 3, 4].map((round) => ({
    round,
    at: `2026-01-0${round}T00:00:00Z`,
    bytes_per_second: round * 2 ** 20,
    iops: round,
    mean_latency: null,
    since_last: [],
  })),
  changes: changes.map(([round, before, after]) => ({
    round,
    at: `2026-01-0${round}T00:00:00Z`,
    change_percent: 1,
    p_value: 0.001,
    rounds_before: 1,
    rounds_after: 1,
    bytes_per_second_before: before,
    bytes_per_second_after: after,
    explained_by: [],
  })),
  left_out: [],
  regression: null,
});
const day = (number: number): string => `2026-01-0${number}T00:00:00Z`;

describe('levels', () => {
  test('nothing changed, no level is drawn', () => expect(levelsOf(past([]))).toEqual([]));

  test('each begins where the one before ends', () => {
    expect(
      levelsOf(
        past([
          [2, 10, 20],
          [4, 20, 30],
        ]),
      ),
    ).toEqual([
      { from: day(1), to: day(2), rate: 10 },
      { from: day(2), to: day(4), rate: 20 },
      { from: day(4), to: day(4), rate: 30 },
    ]);
  });

  test('rows are newest first, and marked', () => {
    expect(rowsOf(past([[4, 1, 2]])).map(({ round, mark }) => [round, mark])).toEqual([
      [4, 'change'],
      [3, ''],
      [2, 'baseline'],
      [1, ''],
    ]);
  });
});

test.each([
  [2 ** 22, 3 * 2 ** 20, '3.0 MiB/s'],
  [4096, 4096 * 512, '512 IOPS'],
])('blocks of %p: %p bytes/s are %p', (block, rate, text) => {
  expect(figuresOf({ ...past([]), block_size: block }).text(rate)).toBe(text);
});

test('a step is told with its figures, the regression and what is published', async () => {
  const fixture = open('/history?profile=osd-throughput', world({ rounds: 40 }));
  const text = await until(fixture, (shown) => shown.includes('Compared with published figures'));
  expect(text).toContain('It has become slower: osd-throughput is 10.0 % slower since round 25');
  expect(text).toMatch(
    /−10\.\d % \(19\d\.\d MiB\/s over 17 rounds, 17\d\.\d MiB\/s over 11\) from Round 25/,
  );
  expect(text).toContain('Explained by: no known cause');
  expect(text).toContain('↕ new level');
  expect(text).toContain('none set');
});

test('a round becomes the baseline, after a second thought', async () => {
  const made = world({ rounds: 40 });
  const fixture = open('/history?profile=osd-throughput', made);
  await until(fixture, (text) => text.includes('Make it the baseline…'));
  button(fixture, 'Make it the baseline…').click();
  await until(fixture, (text) => text.includes('Make round 40 the baseline?'));
  expect(made.http.answers.comparing.baselines()).toEqual([]);
  button(fixture, 'Make it the baseline').click();
  await until(fixture, (text) => text.includes('◆ baseline') && text.includes('round 40, '));
  expect(shownText(fixture)).toContain('Compare with the baseline');
});

test('what the round of one profile is beside is not shown as that of another', async () => {
  const made = world({ rounds: 40 });
  const { answers } = made.http;
  const real = answers.answer.bind(answers);
  answers.answer = (question) => {
    const answer = real(question);
    if (/^round\/\d+$/.test(question.path) && (answer.body as Round).profile === 'osd-iops')
      throw new Refused(500, 'fault', 'this one broke');
    return answer;
  };
  const fixture = open('/history?profile=osd-iops', made);
  await until(fixture, (text) => text.includes('History of osd-iops'));
  made.host.route.set('/history?profile=osd-throughput');
  await until(fixture, (text) => text.includes('Compared with published figures'));
  made.host.route.set('/history?profile=osd-iops'); // which is remembered: it is there at once
  const text = await until(fixture, (shown) => shown.includes('History of osd-iops'));
  expect(text).not.toContain('Compared with published figures');
});

test('who may only read can set no baseline', async () => {
  const fixture = open('/history', world({ rounds: 40, permissions: READER }));
  const text = await until(fixture, (shown) => shown.includes('Rounds of this history'));
  expect(text).not.toContain('Make it the baseline');
});

test.each([
  ['/history', { rounds: 0 }, 'No valid round of this profile has run yet'],
  ['/history', { rounds: 5 }, 'No lasting change of level was found.'],
  ['/history', { rounds: 2 }, 'there are too few rounds'],
  ['/history?profile=speed', {}, 'The address asks for “speed”'],
])('%s of %p: %s', async (route, size, words) => {
  await until(open(route, world(size)), (text) => text.includes(words));
});

test.each([
  ['/history', 0, 'osd-throughput'],
  ['/history', 4, 'osd-iops'], // the newest of a profile, before what was imported
  ['/history?profile=osd-throughput', 4, 'osd-throughput'],
])('%s with %p rounds opens with %s', async (route, rounds, profile) => {
  const made = world({ rounds });
  made.http.answers.take({ results: '{}', as: 'fio' });
  const fixture = open(route, made);
  const select = (): HTMLSelectElement | null =>
    (fixture.nativeElement as HTMLElement).querySelector('#pb-history-profile');
  await until(fixture, () => Boolean(select()));
  expect(select()?.value).toBe(profile);
});
