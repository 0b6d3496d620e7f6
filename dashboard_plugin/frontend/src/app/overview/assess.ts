import { Status } from '../../generated/types';
import { number } from '../core/format';
import { isLoud } from '../wrong/problem';

/** Something worth a sentence. */
export interface Remark {
  readonly level: 'bad' | 'warning' | 'unknown' | 'good';
  readonly text: string;
  readonly values: Readonly<Record<string, string | number>>;
  /** Where to look. */
  readonly route?: string;
  /** What to type. */
  readonly command?: string;
}

/** All OSDs with what the watch says of each. */
const OSDS = '/map?layer=ratio&view=table';

/**
 * What is to be said beside the list of problems, the worst first. All is well only if there is no
 * problem, and the watch looks, on time and without errors, has a verdict on every OSD, and suspects
 * none.
 */
export function assess(status: Status): readonly Remark[] {
  const remarks = [
    ...store(status),
    ...suspected(status),
    ...slowInRounds(status),
    ...blindness(status),
  ];
  return remarks.length || status.problems.some(isLoud) ? remarks : [notPartial(status)];
}

function store({ store: { error } }: Status): readonly Remark[] {
  return error
    ? [{ level: 'bad', text: 'The database does not answer: {error}.', values: { error } }]
    : [];
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
  const text = [
    'Not sure yet: osd.{osd} is suspect, {ratio} times as slow as its peers',
    since === null ? '' : ' for {since}',
    suspects.osds > 1 ? '; {more|other OSD is|other OSDs are} suspect too' : '',
  ].join('');
  return [{ level: 'warning', text: `${text}.`, values, route: `/osds/${osd}` }];
}

/** What rounds measured and no finding tells: all that is known of it, of the slowest alone. */
function slowInRounds({ slow_in_rounds: { osds, worst } }: Status): readonly Remark[] {
  const [first] = worst;
  if (!first) return [];
  const { osd, round, percent_of_peers: percent } = first;
  const values = { osds, osd, round, percent: Math.round(percent) };
  return [
    {
      level: 'warning',
      text: 'Rounds of the last week measured {osds|OSD that is|OSDs that are} slow against their peers and in no finding. The slowest is osd.{osd}, at {percent} % in round {round}.',
      values,
      route: `/rounds/${round}`,
    },
  ];
}

/** The first reason for which the watch sees nothing. */
function blindness({ watch }: Status): readonly Remark[] {
  const unknown = (text: string, values: Remark['values'] = {}, more: Partial<Remark> = {}) => [
    { level: 'unknown', text, values, ...more } as const,
  ];
  if (!watch.on) {
    const command = 'ceph config set mgr mgr/perf_bench/watch true';
    return unknown('Not known: the watch is switched off.', {}, { command });
  }
  if (watch.problem)
    return unknown('Not known: the watch fails: {problem}.', { problem: watch.problem });
  if (!watch.last_tick_at) return unknown('Not known yet: the watch is about to begin.');
  if (watch.late_seconds)
    return unknown('Not known: the next look of the watch is {late} late.', {
      late: watch.late_seconds,
    });
  if (!watch.osds) return unknown('Not known: this cluster has no OSDs to watch.');
  if (!watch.judged)
    return unknown(
      'Not known: none of {osds|OSD|OSDs} has a verdict on its latencies.',
      { osds: watch.osds },
      { route: OSDS },
    );
  return [];
}

function notPartial({ watch: { judged, osds } }: Status): Remark {
  return judged < osds
    ? {
        level: 'unknown',
        text: 'Not known of all OSDs: {judged} of {osds|OSD|OSDs} have a verdict, and nothing is wrong there.',
        values: { judged, osds },
        route: OSDS,
      }
    : { level: 'good', text: 'No: no problem was found in what was looked at.', values: {} };
}
