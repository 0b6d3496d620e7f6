import { LoadClient, LoadPlan, Round } from '../../../generated/types';
import { duration, inMs, mib, number, percent, size } from '../../core/format';
import { Translate } from '../../i18n/i18n';
import { Column, figure } from '../../shared/data-table/column';
import { Fact } from '../../shared/facts.component';

/** "4 clients × 16 operations in flight, write of 4 MiB, 30 s a run, pool perf_bench". */
export function loadText(load: LoadPlan, t: Translate): string {
  const { clients, threads, seconds, pool } = load;
  const operation = t(`load.operation.${load.operation as 'write' | 'seq' | 'rand'}`);
  const values = { clients, threads, operation, seconds, pool, size: size(load.size) };
  const whole = t(load.saturates ? 'load.plan.most' : 'load.plan', values);
  const workers = load.workers.join(', ');
  return workers ? t('load.plan.on', { whole, workers }) : whole;
}

const LATENCIES = ['mean', 'p50', 'p95', 'p99', 'max'] as const;

/** A round of clients in figures: what it does, and what came of it as far as that is known. */
export function loadFacts(round: Round, load: LoadPlan, t: Translate): readonly Fact[] {
  const known = round.summary.median_bytes_per_second !== undefined;
  return [
    { name: t('common.profile'), text: round.profile },
    { name: t('load.load'), text: loadText(load, t) },
    ...(round.ended_at === null
      ? []
      : [{ name: t('common.took'), text: duration(round.took_seconds) }]),
    ...(known ? figures(round.summary, t) : []),
  ];
}

function figures(summary: Round['summary'], t: Translate): readonly Fact[] {
  const latencies = LATENCIES.map((name) => {
    const value = summary[`${name}_latency`] ?? null;
    return `${t(`load.latency.${name}`)} ${inMs(value)}`;
  });
  const done = { first: duration(summary.first_done), last: duration(summary.last_done) };
  const spread = [
    t('load.spread.repeats', { percent: percent(summary.spread_percent, 1) }),
    t('load.spread.seconds', { percent: percent(summary.cv_percent, 1) }),
  ];
  return [
    {
      name: t('common.throughput'),
      text: `${mib(summary.median_bytes_per_second)} MiB/s · ${number(summary.median_iops)} IOPS`,
    },
    { name: t('load.latency'), text: `${latencies.join(', ')} ms` },
    { name: t('common.cv'), text: spread.join(', ') },
    { name: t('load.done'), text: t('load.done.text', done) },
  ];
}

/** `led`: workers ran them, and which one is told of each. */
export function clientColumns(t: Translate, led: boolean): readonly Column<LoadClient>[] {
  return [
    { key: 'repeat', title: t('sample.repeat'), value: (row) => row.repeat, sortable: true },
    { key: 'client', title: t('load.client'), value: (row) => row.client, sortable: true },
    ...(led
      ? [
          {
            key: 'worker',
            title: t('workers.id'),
            value: (row: LoadClient) => row.worker,
            sortable: true,
          },
        ]
      : []),
    figure('bytes_per_second', 'MiB/s', mib),
    figure('operations', t('load.operations'), (value) => number(value, 0)),
    figure('seconds', t('sample.seconds'), (value) => number(value)),
    figure('mean_latency', t('load.mean-ms'), inMs),
    figure('max_latency', t('load.max-ms'), inMs),
  ];
}
