import { Limits, Osd, RoundLine, Status } from '../../generated/types';
import { isSlow } from '../core/slow';
import { Key } from '../i18n/en';

/** Something worth a sentence; `verdict` values are translated by whoever shows it. */
export interface Remark {
  readonly level: 'bad' | 'warning' | 'unknown';
  readonly key: Key;
  readonly values: Readonly<Record<string, string | number>>;
  /** Where to look. */
  readonly route?: string;
}

/** All that is wrong, the worst first; empty when nothing is. `osds` are the slowest first. */
export function assess(
  status: Status,
  rounds: readonly RoundLine[],
  osds: readonly Osd[],
): readonly Remark[] {
  const ended = rounds.filter((round) => round.ended_at !== null);
  return [
    ...storeRemarks(status),
    ...findingRemarks(status),
    ...slowRemarks(osds, status.limits),
    ...roundRemarks(ended[0]),
    ...(ended.length === 0 && !status.store.error
      ? [{ level: 'unknown', key: 'overview.no-rounds', values: {} } as const]
      : []),
  ];
}

function storeRemarks({ store }: Status): readonly Remark[] {
  if (!store.error) return [];
  return [{ level: 'bad', key: 'overview.store', values: { error: store.error } }];
}

function findingRemarks({ findings: { error, warning } }: Status): readonly Remark[] {
  if (!error && !warning) return [];
  const level = error ? 'bad' : 'warning';
  return [{ level, key: 'overview.findings', values: { error, warning }, route: '/findings' }];
}

function slowRemarks(osds: readonly Osd[], limits: Limits | undefined): readonly Remark[] {
  const slow = osds.filter((osd) => isSlow(osd.last_bench, limits));
  if (slow.length === 0) return [];
  const key = slow.length === 1 ? 'overview.slow.one' : 'overview.slow.many';
  // All that were asked for are slow: there are as many, or more.
  const count = slow.length === osds.length && osds.length > 1 ? `${slow.length}+` : slow.length;
  const route = slow.length === 1 ? `/osds/${slow[0]?.osd ?? ''}` : '/map';
  return [{ level: 'warning', key, values: { count }, route }];
}

function roundRemarks(newest: RoundLine | undefined): readonly Remark[] {
  if (!newest?.verdict || newest.verdict === 'valid') return [];
  const level = newest.verdict === 'failed' ? 'bad' : 'warning';
  const values = { id: newest.id, verdict: newest.verdict };
  return [{ level, key: 'overview.bad-round', values, route: `/rounds/${newest.id}` }];
}
