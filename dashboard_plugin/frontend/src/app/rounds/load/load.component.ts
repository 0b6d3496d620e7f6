import { Component, computed, inject, input, signal } from '@angular/core';
import { LoadClient, LoadWorker, Round } from '../../../generated/types';
import { ChartComponent } from '../../charts/chart.component';
import { palette } from '../../charts/palette';
import { Api } from '../../core/api';
import { inMib, inMs, mib, number } from '../../core/format';
import { HostSettings } from '../../core/host-settings';
import { live } from '../../core/live';
import { toldInIops } from '../../core/slow';
import { AnswerComponent } from '../../shared/answer.component';
import { DataTableComponent } from '../../shared/data-table/data-table.component';
import { Drawing, loadOption } from './load-chart';
import { clientColumns } from './load-facts';
import { Second, aligned, summed } from './seconds';
import { CLOCK } from '../../schedules/worker-columns';
import { fill } from '../../shared/fill';
import { Column, figure, plain } from '../../shared/data-table/column';

const CHARTS = {
  throughput:
    'Throughput of {clients|client|clients} together in repeat {repeat}, {seconds|second|seconds}: {low} to {high} {unit}, last {last}.',
  latency:
    'Mean latency of {clients|client|clients} in repeat {repeat}, {seconds|second|seconds}: {low} to {high} {unit}, last {last}.',
} as const;
/** What each worker did in each repeat. */
const WORKER_COLUMNS: readonly Column<LoadWorker>[] = [
  plain('repeat', 'Repeat'),
  plain('id', 'Worker'),
  plain('host', 'Host'),
  { key: 'clients', title: 'Its clients', value: (row) => row.clients.join(', ') },
  figure('bytes_per_second', 'MiB/s', mib),
  figure('late_seconds', 'Late ms', inMs, 'How long after the agreed time it started.'),
  CLOCK,
];

/** Clients tell a line a second; asking takes no database. */
const LIVE_MS = 1_000;

/** What the clients of a round did, second by second, together and each; live while it runs. */
@Component({
  selector: 'pb-load',
  imports: [AnswerComponent, ChartComponent, DataTableComponent],
  templateUrl: './load.component.html',
})
export class LoadComponent {
  readonly round = input.required<Round>();
  /** It runs now. */
  readonly running = input.required<boolean>();
  readonly #api = inject(Api);
  readonly #host = inject(HostSettings);
  readonly #id = computed(() => this.round().id);
  protected readonly live = live(
    (signal) =>
      this.running()
        ? this.#api.get('round/ID/live', { ID: this.#id() }, signal)
        : Promise.resolve(null),
    { every: () => (this.running() ? LIVE_MS : null) },
  );
  /** The repeat that the user wants to see; null: the newest. */
  protected readonly wanted = signal<number | null>(null);
  readonly #now = computed(() => {
    const now = this.running() ? this.live.value() : null;
    return now?.clients.length ? now : null;
  });
  /** The repeats with something to show, each with the load it ran under where that differs. */
  protected readonly repeats = computed(() => {
    const found = new Set(this.round().clients.map(({ repeat }) => repeat));
    const now = this.#now()?.repeat;
    if (now) found.add(now);
    return [...found].sort((a, b) => a - b);
  });
  protected readonly shown = computed(() => {
    const [wanted, repeats] = [this.wanted(), this.repeats()];
    return wanted !== null && repeats.includes(wanted) ? wanted : (repeats.at(-1) ?? null);
  });
  /** The repeat that shows goes on. */
  protected readonly goesOn = computed(() => this.#now()?.repeat === this.shown());
  /** It is not known to go on while there is no answer. */
  protected readonly current = computed(() => this.goesOn() && this.live.refusal() === null);
  readonly #clients = computed(() => {
    const now = this.goesOn() ? this.#now() : null;
    if (now) return aligned(now.clients);
    return aligned(this.round().clients.filter(({ repeat }) => repeat === this.shown()));
  });
  readonly #whole = computed(() => summed(this.#clients()));
  protected readonly charts = computed(() => {
    const [clients, whole, repeat] = [this.#clients(), this.#whole(), this.shown()];
    if (repeat === null || clients.length === 0) return null;
    const colours = palette(this.#host.dark());
    return this.#drawings().map(({ key, ...drawing }) => ({
      key,
      title: key === 'throughput' ? 'Throughput' : 'Latency',
      option: loadOption(clients, whole, drawing, colours),
      label: this.#label(key, drawing, whole, clients.length, repeat),
    }));
  });
  protected readonly unmeasured = computed(() => this.round().samples.filter(({ why }) => why));
  protected readonly columns = computed(() => ({
    clients: clientColumns(this.round().workers.length > 0),
    workers: WORKER_COLUMNS,
  }));
  protected readonly rowId = (row: LoadClient): string => `${row.repeat} ${row.client}`;
  protected readonly partId = (row: LoadWorker): string => `${row.repeat} ${row.id}`;

  protected nameOf(repeat: number): string {
    const run = this.round().saturation?.runs.find((one) => one.repeat === repeat);
    if (!run?.clients || !run.threads) return `repeat ${repeat}`;
    return `${repeat}: ${run.clients} × ${run.threads}`;
  }

  #drawings(): readonly (Drawing & { key: 'throughput' | 'latency' })[] {
    const { size = 0, seconds = 1 } = this.round().load ?? {};
    const iops = toldInIops(size);
    const until = this.goesOn() ? seconds : 1;
    return [
      {
        key: 'throughput',
        until,
        unit: iops ? 'IOPS' : 'MiB/s',
        whole: 'all together',
        of: ({ operations }) => (iops ? operations : inMib(operations * size)),
      },
      {
        key: 'latency',
        until,
        unit: 'ms',
        whole: 'mean of all',
        of: ({ latency }) => (latency === null ? null : 1000 * latency),
      },
    ];
  }

  #label(
    key: 'throughput' | 'latency',
    { of, unit }: Drawing,
    whole: readonly Second[],
    clients: number,
    repeat: number,
  ): string {
    const values = whole.map(of).filter((value) => value !== null);
    const [low, high] = [Math.min(...values), Math.max(...values)].map((value) => number(value));
    const last = number(values.at(-1));
    return fill(CHARTS[key], {
      ...{ clients, repeat, unit, last, seconds: whole.length },
      low: low ?? '',
      high: high ?? '',
    });
  }
}
