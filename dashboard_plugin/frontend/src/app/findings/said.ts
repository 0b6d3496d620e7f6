import { Finding } from '../../generated/types';
import { localTime, milliseconds, mib, number } from '../core/format';
import { I18n } from '../i18n/i18n';

/** What findings say that other languages can say, too: their code and evidence have the values. */
export type Saying =
  'slow-osd' | 'slow-osd-bursts' | 'slow-device' | 'slow-unit' | 'regression' | 'flapping-osd';

type Evidence = Finding['evidence'];

/**
 * The sentence of a finding in the tab's language. The module's own, which is English, stands where
 * the language has none, or where a value is missing that an older version did not store.
 */
export function findingText(finding: Finding, i18n: I18n): string {
  const made = SAYINGS[finding.code]?.(finding);
  const complete = made && Object.values(made[1]).every((value) => value !== null);
  const said = complete ? i18n.said(made[0], made[1]) : null;
  return said ?? i18n.told(finding, 'message');
}

type Made = readonly [Saying, Readonly<Record<string, string | number | null>>];

const SAYINGS: Readonly<Record<string, (finding: Finding) => Made | null>> = {
  PERF_BENCH_SLOW_OSD: slowOsd,
  PERF_BENCH_SLOW_HOST: slowUnit,
  PERF_BENCH_SLOW_ENCLOSURE: slowUnit,
  PERF_BENCH_REGRESSION: regression,
  PERF_BENCH_OSD_FLAPPING: flapping,
};

function slow({ evidence, first_seen }: Finding): Readonly<Record<string, string | number | null>> {
  const since = figure(evidence, 'since');
  return {
    ratio: written(figure(evidence, 'ratio'), (value) => number(value, value < 2 ? 2 : 1)),
    channel: text(evidence, 'channel'),
    own: written(figure(evidence, 'latency_ms'), milliseconds),
    usual: written(figure(evidence, 'peers_latency_ms'), milliseconds),
    since: localTime(since === null ? first_seen : 1000 * since),
  };
}

function slowOsd(finding: Finding): Made | null {
  const { evidence, target } = finding;
  const values = { ...slow(finding), peers: figure(evidence, 'peers') };
  const [bursts, members] = [figure(evidence, 'bursts_24h'), figure(evidence, 'members')];
  // A disk with several OSDs is named by its first one.
  if (members !== null)
    return ['slow-device', { ...values, device: text(evidence, 'device'), osds: members }];
  const named = { ...values, name: `osd.${target.id}`, host: text(evidence, 'host') };
  return bursts === null ? ['slow-osd', named] : ['slow-osd-bursts', { ...named, bursts }];
}

/** A host, an enclosure or a rack; of a whole cohort the module says more than this. */
function slowUnit(finding: Finding): Made | null {
  const { kind, id } = finding.target;
  if (!['host', 'enclosure', 'rack'].includes(kind)) return null;
  return ['slow-unit', { ...slow(finding), id, osds: figure(finding.evidence, 'members') }];
}

function regression({ evidence, target }: Finding): Made | null {
  const [before, after] = ['bytes_per_second_before', 'bytes_per_second_after'].map((key) =>
    written(figure(evidence, key), mib),
  );
  const lost = figure(evidence, 'change_percent');
  return [
    'regression',
    {
      profile: target.id,
      percent: lost === null ? null : number(-lost),
      round: figure(evidence, 'since_round'),
      before: before ?? null,
      after: after ?? null,
      rounds: figure(evidence, 'rounds_after'),
    },
  ];
}

function flapping({ evidence, target }: Finding): Made | null {
  const host = text(evidence, 'host');
  // Several together have another sentence, with what they have in common.
  if (target.kind !== 'osd' || host === null || 'together' in evidence) return null;
  return ['flapping-osd', { name: `osd.${target.id}`, host, times: figure(evidence, 'flaps') }];
}

function figure(evidence: Evidence, key: string): number | null {
  const value = evidence[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function text(evidence: Evidence, key: string): string | null {
  const value = evidence[key];
  return typeof value === 'string' ? value : null;
}

function written(value: number | null, write: (value: number) => string): string | null {
  return value === null ? null : write(value);
}
