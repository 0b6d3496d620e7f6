import { Conclusion, Part, Plan } from '../../generated/types';
import { world } from '../../testing/recorded';
import { show, until } from '../../testing/settle';
import { PlanComponent } from './plan.component';
import { Span, partName, pointsOf, spansOf } from './parts';
import { numberLines } from './parts-chart';

const NOW = Date.UTC(2026, 0, 1, 1, 0);

function part(name: string, started: string | null, ended: string | null, reads = 50): Part {
  return {
    name,
    rest_seconds: 0,
    started_at: started,
    ended_at: ended,
    osds: [0],
    seconds_since_load: null,
    writes: null,
    reads: { median_bytes_per_second: 1, median_iops: 1, percent_of_before: reads },
  };
}

const PARTS = [
  part('before', '2026-01-01T00:00:00Z', '2026-01-01T00:02:00Z', 100),
  part('rested-1', '2026-01-01T00:30:00Z', null, 95),
  part('rested-2', null, null),
];

test('parts stand in minutes since the first; one that goes on reaches to now', () => {
  expect(spansOf(PARTS, NOW).map(({ from, to }) => [from, to])).toEqual([
    [0, 2],
    [30, 60],
  ]);
  expect(spansOf([part('before', null, null)], NOW)).toEqual([]);
});

test('what recovered is marked at the part that showed it, for that operation alone', () => {
  const conclusion = (operation: string): Conclusion => ({
    code: 'recovered-after',
    message: '',
    evidence: { operation, phase: 'rested-1', minutes: 30 },
  });
  const spans = spansOf(PARTS, NOW);
  expect(pointsOf(spans, 'reads', [conclusion('read')]).map((one) => one.back)).toEqual([
    false,
    true,
  ]);
  expect(pointsOf(spans, 'reads', [conclusion('write')]).some((one) => one.back)).toBe(false);
  expect(pointsOf(spans, 'writes', [conclusion('write')])).toEqual([]); // it has none
});

test.each([
  ['before', 'alone, before'],
  ['rested-12', 'alone, after rest 12'],
  ['deferred', 'deferred'],
])('%s is called %p', (name, words) => {
  expect(partName(name)).toBe(words);
});

test('numbers of parts that are near stand on lines of their own', () => {
  const spans = [
    [0, 2],
    [2, 4],
    [4, 6],
    [26, 28],
    [96, 100],
  ].map(([from, to]) => ({ from, to }) as Span);
  expect(numberLines(spans)).toEqual([0, 1, 2, 0, 0]);
});

test('a plan in parts names each once, with the OSDs it measures and the rest before it', async () => {
  const made = world();
  const plan = made.http.body<Plan>('POST round {"dry_run": true, "profile": "osd-throughput"}');
  const phase = (part: string, operation: string, rest: number, waves: number[][]) => ({
    name: `${part}-${operation}`,
    part,
    rest_seconds: rest,
    step: { ...plan.step, operation },
    waves,
  });
  const phases = [
    phase('before', 'write', 0, [[0], [4]]),
    phase('before', 'read', 0, [[0], [4]]),
    phase('together', 'write', 0, [[0, 1, 2, 3]]),
    phase('rested-1', 'write', 1200, [[0], [4]]),
  ];
  const fixture = show(PlanComponent, made, { plan: { ...plan, phases } });
  await until(fixture, (text) =>
    text.includes(
      'alone, before (2 OSDs); all together (4 OSDs); 20 min 00 s rest; alone, after rest 1 (2 OSDs)',
    ),
  );
});
