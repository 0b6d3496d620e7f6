import { LoadClient, LoadPlan, Round } from '../../../generated/types';
import { duration, inMs, mib, number, percent, size } from '../../core/format';
import { Column, figure, plain } from '../../shared/data-table/column';
import { Fact } from '../../shared/facts.component';
import { fill } from '../../shared/fill';

const OPERATIONS: Readonly<Record<string, string>> = {
  write: 'write',
  seq: 'sequential read',
  rand: 'random read',
};

/** "4 clients × 16 operations in flight, write of 4 MiB, 30 s a run, pool perf_bench". */
export function loadText(load: LoadPlan): string {
  const { clients, threads, seconds, pool } = load;
  const operation = OPERATIONS[load.operation] ?? load.operation;
  const values = { clients, threads, operation, seconds, pool, size: size(load.size) };
  const whole = fill(
    load.saturates
      ? 'up to {clients|client|clients} × {threads|operation|operations} in flight, {operation} of {size}, {seconds} s a run, pool {pool}'
      : '{clients|client|clients} × {threads|operation|operations} in flight, {operation} of {size}, {seconds} s a run, pool {pool}',
    values,
  );
  const workers = load.workers.join(', ');
  return workers ? `${whole}, on workers ${workers}` : whole;
}

const LATENCIES = ['mean', 'p50', 'p95', 'p99', 'max'] as const;

/** A round of clients in figures: what it does, and what came of it as far as that is known. */
export function loadFacts(round: Round, load: LoadPlan): readonly Fact[] {
  const known = round.summary.median_bytes_per_second !== undefined;
  return [
    { name: 'Profile', text: round.profile },
    { name: 'Load', text: loadText(load) },
    ...(round.ended_at === null ? [] : [{ name: 'Took', text: duration(round.took_seconds) }]),
    ...(known ? figures(round.summary) : []),
  ];
}

function figures(summary: Round['summary']): readonly Fact[] {
  const latencies = LATENCIES.map((name) => {
    const value = summary[`${name}_latency`] ?? null;
    return `${name} ${inMs(value)}`;
  });
  const done = { first: duration(summary.first_done), last: duration(summary.last_done) };
  const spread = [
    `${percent(summary.spread_percent, 1)} between repeats`,
    `${percent(summary.cv_percent, 1)} between seconds`,
  ];
  return [
    {
      name: 'Throughput',
      text: `${mib(summary.median_bytes_per_second)} MiB/s · ${number(summary.median_iops)} IOPS`,
    },
    { name: 'Latency', text: `${latencies.join(', ')} ms` },
    { name: 'CV', text: spread.join(', ') },
    { name: 'Clients done', text: fill('the first after {first}, the last after {last}', done) },
  ];
}

/** `led`: workers ran them, and which one is told of each. */
export function clientColumns(led: boolean): readonly Column<LoadClient>[] {
  return [
    plain('repeat', 'Repeat'),
    plain('client', 'Client'),
    ...(led
      ? [
          {
            key: 'worker',
            title: 'Worker',
            value: (row: LoadClient) => row.worker,
            sortable: true,
          },
        ]
      : []),
    figure('bytes_per_second', 'MiB/s', mib),
    figure('operations', 'Operations', (value) => number(value, 0)),
    figure('seconds', 'Seconds', (value) => number(value)),
    figure('mean_latency', 'Mean ms', inMs),
    figure('max_latency', 'Max ms', inMs),
  ];
}
