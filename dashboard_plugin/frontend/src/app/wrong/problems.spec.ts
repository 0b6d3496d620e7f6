import { Finding, Laggy } from '../../generated/types';
import { Told, problems } from './problems';

const NOTHING: Told = { findings: [], laggy: null, enclosures: [], paths: [], advice: [] };

function finding(id: number, code: string, more: Partial<Finding> = {}): Finding {
  const target = { kind: 'osd', id: String(id) };
  return {
    ...{ id, code, target, severity: 'warning', message: `finding ${id}`, state: 'open' },
    ...{ first_seen: '2026-01-01T00:00:00Z', evidence: {}, ...more },
  } as Finding;
}

function laggy(now: number): Laggy {
  return { now: { laggy: now, wait: 0, pgs: 96, at: '2026-01-01T00:00:00Z' } } as Laggy;
}

const advice = (code: string, severity = 'info'): Told['advice'][number] =>
  ({ code, severity, target: { kind: 'settings', id: '' }, message: code }) as never;
const shelf = (id: string, state: string): Told['enclosures'][number] => ({ id, state }) as never;
const paths = (name: string, state: string): Told['paths'][number] =>
  ({ name, state, host: 'a', osd: null, paths: [1, 2], expected: null, active: 1 }) as never;

test('the worst first, then the newest; what is muted and advice behind', () => {
  const found = problems({
    ...NOTHING,
    findings: [
      finding(1, 'PERF_BENCH_SLOW_OSD'),
      finding(2, 'PERF_BENCH_SLOW_OSD', { first_seen: '2026-02-01T00:00:00Z' }),
      finding(3, 'PERF_BENCH_STORE', { severity: 'error' }),
      finding(4, 'PERF_BENCH_STORE', { severity: 'error', state: 'muted' }),
    ],
    advice: [advice('A', 'warning'), advice('B')],
  });
  expect(found.map(({ key }) => key.replace(/ settings.*/, ''))).toEqual([
    'finding 3',
    'finding 2',
    'finding 1',
    'advice A',
    'advice B',
    'finding 4',
  ]);
  expect(new Set(found.map(({ key }) => key)).size).toBe(6);
});

test.each([
  ['PERF_BENCH_SLOW_OSD', 'slow'],
  ['PERF_BENCH_LAGGY_PGS', 'laggy'],
  ['PERF_BENCH_MEDIA_ERRORS', 'hardware'],
  ['PERF_BENCH_CONFIG_RISK', 'advice'],
  ['PERF_BENCH_RESTORE_PENDING', 'operation'],
  ['PERF_BENCH_STANDBY_MGR', 'operation'],
  ['PERF_BENCH_WATCH_FAILED', 'operation'],
  ['PERF_BENCH_FROM_THE_FUTURE', 'slow'],
])('%s is of the kind %s', (code, sort) => {
  expect(problems({ ...NOTHING, findings: [finding(1, code)] })[0]?.sort).toBe(sort);
});

test('laggy PGs show before they are a finding, and once', () => {
  expect(problems({ ...NOTHING, laggy: laggy(0) })).toEqual([]);
  const [now] = problems({ ...NOTHING, laggy: laggy(3) });
  expect([now?.sort, now?.route, now?.text]).toEqual([
    'laggy',
    '/laggy',
    '3 PGs are laggy and 0 wait, of 96.',
  ]);
  const findings = [finding(1, 'PERF_BENCH_LAGGY_PGS')];
  expect(problems({ ...NOTHING, laggy: laggy(3), findings })).toHaveLength(1);
});

test('hardware that is not fine, each once beside its finding', () => {
  const enclosures = [shelf('x', 'ok'), shelf('y', 'fault'), shelf('z', 'degraded')];
  const given = { ...NOTHING, enclosures, paths: [paths('m1', 'ok'), paths('m2', 'degraded')] };
  expect(problems(given).map(({ severity, key }) => [severity, key])).toEqual([
    ['error', 'hardware enclosure y'],
    ['warning', 'hardware enclosure z'],
    ['warning', 'paths a m2'],
  ]);
  const named = finding(1, 'PERF_BENCH_ENCLOSURE_FAULT', {
    target: { kind: 'enclosure', id: 'y' },
  });
  const keys = problems({ ...given, findings: [named] }).map(({ key }) => key);
  expect(keys).not.toContain('hardware enclosure y');
  expect(keys).toContain('hardware enclosure z');
});

test('disks whose lost paths are told of by a finding of their host are not told of again', () => {
  const disk = (name: string, osd: number | null, state: string): Told['paths'][number] => ({
    ...paths(name, state),
    osd,
  });
  const given = {
    ...NOTHING,
    paths: [
      disk('m1', 1, 'degraded'),
      disk('m2', 2, 'failed'),
      disk('m3', 3, 'degraded'),
      disk('m4', 1, 'bare'),
      disk('m5', null, 'degraded'),
    ],
  };
  const named = finding(9, 'PERF_BENCH_MULTIPATH_DEGRADED', {
    target: { kind: 'host', id: 'a' },
    evidence: { osds: [1, 2] },
  });
  const keys = problems({ ...given, findings: [named] }).map(({ key }) => key);
  expect(keys.sort()).toEqual(['finding 9', 'paths a m3', 'paths a m4']);
  const other = finding(9, 'PERF_BENCH_MEDIA_ERRORS', { evidence: { osds: [1, 2] } });
  expect(problems({ ...given, findings: [other] })).toHaveLength(6);
});
