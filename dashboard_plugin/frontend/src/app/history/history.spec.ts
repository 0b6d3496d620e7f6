import { History } from '../../generated/types';
import { world } from '../../testing/recorded';
import { button, show, until } from '../../testing/settle';
import { ProfileHistoryComponent } from './profile-history.component';
import { figuresOf, levelsOf, rowsOf } from './past';

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
    repeats: 1,
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
  read_since: null,
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

test('a round becomes the baseline, after a second thought', async () => {
  const made = world();
  const fixture = show(ProfileHistoryComponent, made, { profile: 'osd-throughput' });
  await until(fixture, (text) => text.includes('Make it the baseline…'));
  button(fixture, 'Make it the baseline…').click();
  await until(fixture, (text) => text.includes('the baseline?'));
  expect(made.http.sent).toEqual([]);
  button(fixture, 'Make it the baseline').click();
  await until(fixture, () => made.http.sent.length === 1);
  expect(made.http.sent).toEqual([['POST baseline', { id: 6 }]]);
});

test('a profile that nobody ran has no history', async () => {
  const made = world();
  made.http.change<History>('GET profile/history', past([]));
  const fixture = show(ProfileHistoryComponent, made, { profile: 'p' });
  const text = await until(fixture, (shown) => shown.includes('History of p'));
  expect(text).toContain('No lasting change of level was found.');
});
