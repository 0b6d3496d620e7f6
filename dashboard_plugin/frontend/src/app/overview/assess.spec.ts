import { Status } from '../../generated/types';
import { assess } from './assess';

type Watch = Status['watch'];
const watch = {
  on: true,
  osds: 6,
  judged: 6,
  problem: null,
  last_tick_at: '2026-01-01T00:00:00Z',
  late_seconds: 0,
} as Watch;

function status(
  changed: Partial<Watch> = {},
  error = 0,
  warning = 0,
  away: string | null = null,
): Status {
  return {
    findings: { error, warning, info: 3 },
    watch: { ...watch, ...changed },
    store: { error: away, rounds: away ? null : 0 },
    slow_in_rounds: { osds: 0, worst: [] },
    suspects: { osds: 0, worst: [] },
  } as unknown as Status;
}

const SIGHTS: [string, Partial<Watch>, string][] = [
  ['it is off', { on: false, judged: 0, last_tick_at: null }, 'overview.watch-off'],
  ['it fails', { problem: 'laggy: KeyError()' }, 'overview.watch-fails'],
  ['it has not begun', { last_tick_at: null, judged: 0 }, 'overview.watch-begins'],
  ['it is late', { late_seconds: 90 }, 'overview.watch-late'],
  ['it fails and is late', { problem: 'x', late_seconds: 90 }, 'overview.watch-fails'],
  ['there is nothing to watch', { osds: 0, judged: 0 }, 'overview.no-osds'],
  ['no OSD has data', { judged: 0 }, 'overview.none-judged'],
  ['some have no data', { judged: 5 }, 'overview.partly'],
  ['all is well', {}, 'overview.good'],
];
const keys = (now: Status) => assess(now).map((remark) => remark.key);

test.each(SIGHTS)('%s', (_, changed, key) => {
  const whole = key === 'overview.good' || key === 'overview.partly';
  expect(keys(status(changed))).toEqual([key]);
  const blind = whole ? [] : [key];
  // What is known to be wrong comes first, whatever else is not known.
  expect(keys(status(changed, 0, 2))).toEqual(['overview.findings', ...blind]);
  expect(keys(status(changed, 0, 0, 'away'))).toEqual(['overview.store', ...blind]);
  expect(keys(status(changed, 1, 0, 'away'))).toEqual([
    'overview.findings',
    'overview.store',
    ...blind,
  ]);
});

test('green is only where all OSDs are judged and nothing is wrong', () => {
  const levels = SIGHTS.flatMap(([, changed]) =>
    [status(changed), status(changed, 0, 1), status(changed, 1), status(changed, 0, 0, 'away')].map(
      (now) => assess(now)[0]?.level,
    ),
  );
  expect(levels.filter((level) => level === 'good')).toHaveLength(1);
});

test('an error is worse than a warning', () => {
  expect(assess(status({}, 0, 1))[0]?.level).toBe('warning');
  expect(assess(status({}, 1, 1))[0]?.level).toBe('bad');
});

test('what a round measured as slow is told, also where the watch sees nothing', () => {
  const slow_in_rounds = {
    osds: 2,
    worst: [
      { osd: 2, round: 12, percent_of_peers: 9.6 },
      { osd: 1, round: 12, percent_of_peers: 80 },
    ],
  };
  const [remark, ...more] = assess({ ...status(), slow_in_rounds });
  expect(more).toEqual([]);
  expect(remark).toEqual({
    level: 'warning',
    key: 'overview.slow-in-rounds',
    values: { osds: 2, osd: 2, round: 12, percent: 10 },
    route: '/rounds/12',
  });
  expect(assess({ ...status({ judged: 0 }), slow_in_rounds }).map(({ level }) => level)).toEqual([
    'warning',
    'unknown',
  ]);
});

test.each([
  ['one', 1, '2026-01-01T00:00:00Z', 'overview.suspect.since'],
  ['one since an unknown time', 1, null, 'overview.suspect'],
  ['several', 3, '2026-01-01T00:00:00Z', 'overview.suspect.since.more'],
])('%s that is suspect: amber, not green', (_, osds, since, key) => {
  const suspects = { osds, worst: [{ osd: 4, ratio: 5.27, since }] };
  const [remark, ...more] = assess({ ...status(), suspects });
  expect(more).toEqual([]);
  expect(remark).toMatchObject({ level: 'warning', key, route: '/osds/4' });
  expect(remark?.values).toMatchObject({ osd: 4, ratio: '5.3', more: osds - 1 });
});
