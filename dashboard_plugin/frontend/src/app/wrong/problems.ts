import { Advice, Enclosure, Finding, FindingTarget, Laggy, Multipath } from '../../generated/types';
import { stateText } from '../shared/state-badge.component';
import { fill } from '../shared/fill';

/** What a problem is, as one filters by it. */
export const SORTS = ['slow', 'laggy', 'hardware', 'advice', 'operation'] as const;
export type Sort = (typeof SORTS)[number];
export const SEVERITIES = ['error', 'warning', 'info'] as const;
type Severity = (typeof SEVERITIES)[number];

/** One line of the list, whatever told of it. */
export interface Problem {
  readonly key: string;
  readonly sort: Sort;
  readonly severity: Severity;
  readonly target: FindingTarget;
  readonly text: string;
  readonly since: string | null;
  readonly muted: boolean;
  /** The page that says more. */
  readonly route: string;
}

/** Kinds of findings that are not about slowness; one that is not known here is. */
const SORT_OF: Readonly<Record<string, Sort>> = {
  PERF_BENCH_LAGGY_PGS: 'laggy',
  PERF_BENCH_CRC_HOTSPOT: 'hardware',
  PERF_BENCH_LINK_ERRORS: 'hardware',
  PERF_BENCH_MEDIA_ERRORS: 'hardware',
  PERF_BENCH_ENCLOSURE_FAULT: 'hardware',
  PERF_BENCH_MULTIPATH_DEGRADED: 'hardware',
  PERF_BENCH_OSD_FLAPPING: 'hardware',
  PERF_BENCH_CONFIG_RISK: 'advice',
  PERF_BENCH_ROUND_FAILED: 'operation',
  PERF_BENCH_RESTORE_PENDING: 'operation',
  PERF_BENCH_STANDBY_MGR: 'operation',
  PERF_BENCH_WATCH_FAILED: 'operation',
  PERF_BENCH_STORE: 'operation',
};

/** A finding of a host, or of a part of it, names the OSDs of all disks that lost paths. */
const LOST = 'PERF_BENCH_MULTIPATH_DEGRADED';
const OF_LOST: ReadonlySet<string> = new Set(['degraded', 'failed']);

function osdsOf({ evidence }: Finding): readonly unknown[] {
  const osds = evidence['osds'];
  return Array.isArray(osds) ? osds : [];
}

export interface Told {
  readonly findings: readonly Finding[];
  readonly laggy: Laggy | null;
  readonly enclosures: readonly Enclosure[];
  readonly paths: readonly Multipath[];
  readonly advice: readonly Advice[];
}

/** Everything that is wrong in one list, the worst first, and what is newer before what is older. */
export function problems(
  told: Told,
  say: (told: Finding | Advice) => string = ({ message }) => message,
): readonly Problem[] {
  const found = told.findings.map((one) => ofFinding(one, say(one)));
  // A finding says more than the state that it was made of.
  const named = new Set(found.map(({ sort, target }) => `${sort} ${target.kind} ${target.id}`));
  const lost = new Set(told.findings.filter(({ code }) => code === LOST).flatMap(osdsOf));
  const states = [
    ...laggyNow(told.laggy, found),
    ...told.enclosures.filter(({ state }) => BAD[state]).map((one) => ofEnclosure(one)),
    ...told.paths
      .filter(({ state, osd }) => BAD[state] && !(OF_LOST.has(state) && lost.has(osd)))
      .map((one) => ofPaths(one)),
  ].filter(({ sort, target }) => !named.has(`${sort} ${target.kind} ${target.id}`));
  const all = [...found, ...states, ...told.advice.map((one, at) => ofAdvice(one, say(one), at))];
  return all.sort((a, b) => rank(a) - rank(b) || (b.since ?? '').localeCompare(a.since ?? ''));
}

function rank({ severity, muted }: Problem): number {
  return SEVERITIES.indexOf(severity) + (muted ? SEVERITIES.length : 0);
}

function ofFinding(finding: Finding, text: string): Problem {
  return {
    key: `finding ${finding.id}`,
    sort: SORT_OF[finding.code] ?? 'slow',
    severity: finding.severity,
    target: finding.target,
    text,
    since: finding.first_seen,
    muted: finding.state === 'muted',
    route: `/findings/${finding.id}`,
  };
}

function ofAdvice(advice: Advice, text: string, index: number): Problem {
  return {
    // Two checks may say the same of the same target.
    key: `advice ${advice.code} ${advice.target.kind} ${advice.target.id} ${index}`,
    sort: 'advice',
    severity: advice.severity,
    target: advice.target,
    text,
    since: null,
    muted: false,
    route: '/doctor',
  };
}

/** Laggy PGs of this minute; a finding is made of them only when they last. */
function laggyNow(laggy: Laggy | null, found: readonly Problem[]): readonly Problem[] {
  if (!laggy?.now.laggy && !laggy?.now.wait) return [];
  if (found.some(({ sort }) => sort === 'laggy')) return [];
  const { laggy: now, wait, pgs, at } = laggy.now;
  return [
    {
      ...state('laggy', { kind: 'cluster', id: '' }, '/laggy', at),
      text: fill('{laggy|PG is|PGs are} laggy and {wait|waits|wait}, of {pgs}.', {
        laggy: now,
        wait,
        pgs,
      }),
    },
  ];
}

/** How bad a state of hardware is; what is not here is no problem, or is not known. */
const BAD: Readonly<Record<string, Severity>> = {
  failed: 'error',
  critical: 'error',
  unrecoverable: 'error',
  fault: 'error',
  degraded: 'warning',
  noncritical: 'warning',
  flapping: 'warning',
  bare: 'warning',
};

function state(
  sort: Sort,
  target: FindingTarget,
  route: string,
  since: string | null,
): Omit<Problem, 'text'> {
  const key = `${sort} ${target.kind} ${target.id}`;
  return { key, sort, severity: 'warning', target, since, muted: false, route };
}

function ofEnclosure({ id, state: word }: Enclosure): Problem {
  const route = `/enclosures/${encodeURIComponent(id)}`;
  return {
    ...state('hardware', { kind: 'enclosure', id }, route, null),
    severity: BAD[word] ?? 'warning',
    text: fill('The enclosure reports the state {state}.', { state: stateText(word) }),
  };
}

function ofPaths({ host, name, osd, state: word, ...paths }: Multipath): Problem {
  const target = osd === null ? { kind: 'host', id: host } : { kind: 'osd', id: String(osd) };
  return {
    ...state('hardware', target, '/paths', null),
    key: `paths ${host} ${name}`,
    severity: BAD[word] ?? 'warning',
    text: fill('{host} {name}: {active} of {expected|path|paths} active, {state}.', {
      ...{ host, name, state: stateText(word), active: paths.active },
      expected: paths.expected ?? paths.paths.length,
    }),
  };
}
