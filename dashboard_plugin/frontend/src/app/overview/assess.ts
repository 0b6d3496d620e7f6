import { Status } from '../../generated/types';
import { number } from '../core/format';
import { Key } from '../shared/words';

/** Something worth a sentence. */
export interface Remark {
  readonly level: 'bad' | 'warning' | 'unknown' | 'good';
  readonly key: Key;
  readonly values: Readonly<Record<string, string | number>>;
  /** Where to look. */
  readonly route?: string;
  /** What to type. */
  readonly command?: string;
}

/** All OSDs with what the watch says of each. */
const OSDS = '/map?layer=ratio&view=table';

/**
 * The answer to "is anything wrong?", the worst first, from the status alone. All is well only if
 * the watch looks, on time and without errors, has a verdict on every OSD, and suspects none.
 */
export function assess(status: Status): readonly Remark[] {
  const remarks = [
    ...findings(status),
    ...store(status),
    ...suspected(status),
    ...slowInRounds(status),
    ...blindness(status),
  ];
  return remarks.length ? remarks : [notPartial(status)];
}

function findings({ findings: { error, warning } }: Status): readonly Remark[] {
  if (!error && !warning) return [];
  const level = error ? 'bad' : 'warning';
  return [{ level, key: 'overview.findings', values: { error, warning }, route: '/findings' }];
}

function store({ store: { error } }: Status): readonly Remark[] {
  return error ? [{ level: 'bad', key: 'overview.store', values: { error } }] : [];
}

/** OSDs that look slow, and are not yet so for long enough to be a finding: the first of them. */
function suspected({ suspects }: Status): readonly Remark[] {
  const [first] = suspects.worst;
  if (!first) return [];
  const { osd, ratio, since } = first;
  const values = {
    ...{ osd, ratio: number(ratio, 1), more: suspects.osds - 1 },
    ...(since === null ? {} : { since }),
  };
  const more = suspects.osds > 1 ? '.more' : '';
  const key: Key = `overview.suspect${since === null ? '' : '.since'}${more}`;
  return [{ level: 'warning', key, values, route: `/osds/${osd}` }];
}

/** What rounds measured and no finding tells: all that is known of it, of the slowest alone. */
function slowInRounds({ slow_in_rounds: { osds, worst } }: Status): readonly Remark[] {
  const [first] = worst;
  if (!first) return [];
  const { osd, round, percent_of_peers: percent } = first;
  const values = { osds, osd, round, percent: Math.round(percent) };
  return [{ level: 'warning', key: 'overview.slow-in-rounds', values, route: `/rounds/${round}` }];
}

/** The first reason for which the watch sees nothing. */
function blindness({ watch }: Status): readonly Remark[] {
  const unknown = (key: Key, values: Remark['values'] = {}, more: Partial<Remark> = {}) => [
    { level: 'unknown', key, values, ...more } as const,
  ];
  if (!watch.on) {
    const command = 'ceph config set mgr mgr/perf_bench/watch true';
    return unknown('overview.watch-off', {}, { command });
  }
  if (watch.problem) return unknown('overview.watch-fails', { problem: watch.problem });
  if (!watch.last_tick_at) return unknown('overview.watch-begins');
  if (watch.late_seconds) return unknown('overview.watch-late', { late: watch.late_seconds });
  if (!watch.osds) return unknown('overview.no-osds');
  if (!watch.judged) return unknown('overview.none-judged', { osds: watch.osds }, { route: OSDS });
  return [];
}

function notPartial({ watch: { judged, osds } }: Status): Remark {
  return judged < osds
    ? { level: 'unknown', key: 'overview.partly', values: { judged, osds }, route: OSDS }
    : { level: 'good', key: 'overview.good', values: {} };
}
