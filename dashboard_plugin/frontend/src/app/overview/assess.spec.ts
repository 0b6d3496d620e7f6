import { Problem, Status } from '../../generated/types';
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
  problems: readonly Problem[] = [],
  away: string | null = null,
): Status {
  return {
    problems,
    watch: { ...watch, ...changed },
    store: { error: away, rounds: away ? null : 0 },
    slow_in_rounds: { osds: 0, worst: [] },
    suspects: { osds: 0, worst: [] },
  } as unknown as Status;
}

const LOUD = { severity: 'warning', muted: false } as Problem;

const SIGHTS: [string, Partial<Watch>, string][] = [
  [
    'it is off',
    { on: false, judged: 0, last_tick_at: null },
    'Not known: the watch is switched off.',
  ],
  ['it fails', { problem: 'laggy: KeyError()' }, 'Not known: the watch fails: {problem}.'],
  [
    'it has not begun',
    { last_tick_at: null, judged: 0 },
    'Not known yet: the watch is about to begin.',
  ],
  ['it is late', { late_seconds: 90 }, 'Not known: the next look of the watch is {late} late.'],
  [
    'it fails and is late',
    { problem: 'x', late_seconds: 90 },
    'Not known: the watch fails: {problem}.',
  ],
  [
    'there is nothing to watch',
    { osds: 0, judged: 0 },
    'Not known: this cluster has no OSDs to watch.',
  ],
  [
    'no OSD has data',
    { judged: 0 },
    'Not known: none of {osds|OSD|OSDs} has a verdict on its latencies.',
  ],
  [
    'some have no data',
    { judged: 5 },
    'Not known of all OSDs: {judged} of {osds|OSD|OSDs} have a verdict, and nothing is wrong there.',
  ],
  ['all is well', {}, 'No: no problem was found in what was looked at.'],
];
const keys = (now: Status) => assess(now).map((remark) => remark.text);

test.each(SIGHTS)('%s', (_, changed, key) => {
  expect(keys(status(changed))).toEqual([key]);
  const whole = key === SIGHTS.at(-1)?.[2] || key === SIGHTS.at(-2)?.[2];
  const blind = whole ? [] : [key];
  // Problems have their own lines; what is not known is said beside them, and nothing is well.
  expect(keys(status(changed, [LOUD]))).toEqual(blind);
  expect(keys(status(changed, [], 'away'))).toEqual([
    'The database does not answer: {error}.',
    ...blind,
  ]);
});

test('green is only where all OSDs are judged and nothing is wrong', () => {
  const levels = SIGHTS.flatMap(([, changed]) =>
    [status(changed), status(changed, [LOUD]), status(changed, [], 'away')].map(
      (now) => assess(now)[0]?.level,
    ),
  );
  expect(levels.filter((level) => level === 'good')).toHaveLength(1);
});

test('a hint, and what is muted, is nothing wrong', () => {
  const quiet = [{ ...LOUD, muted: true }, { ...LOUD, severity: 'info' } as Problem];
  expect(assess(status({}, quiet))[0]?.level).toBe('good');
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
    text: 'Rounds of the last week measured {osds|OSD that is|OSDs that are} slow against their peers and in no finding. The slowest is osd.{osd}, at {percent} % in round {round}.',
    values: { osds: 2, osd: 2, round: 12, percent: 10 },
    route: '/rounds/12',
  });
  expect(assess({ ...status({ judged: 0 }), slow_in_rounds }).map(({ level }) => level)).toEqual([
    'warning',
    'unknown',
  ]);
});

test.each([
  [
    'one',
    1,
    '2026-01-01T00:00:00Z',
    'Not sure yet: osd.{osd} is suspect, {ratio} times as slow as its peers for {since}.',
  ],
  [
    'one since an unknown time',
    1,
    null,
    'Not sure yet: osd.{osd} is suspect, {ratio} times as slow as its peers.',
  ],
  [
    'several',
    3,
    '2026-01-01T00:00:00Z',
    'Not sure yet: osd.{osd} is suspect, {ratio} times as slow as its peers for {since}; {more|other OSD is|other OSDs are} suspect too.',
  ],
])('%s that is suspect: amber, not green', (_, osds, since, text) => {
  const suspects = { osds, worst: [{ osd: 4, ratio: 5.27, since }] };
  const [remark, ...more] = assess({ ...status(), suspects });
  expect(more).toEqual([]);
  expect(remark).toMatchObject({ level: 'warning', text, route: '/osds/4' });
  expect(remark?.values).toMatchObject({ osd: 4, ratio: '5.3', more: osds - 1 });
});
