import { Component, computed, inject, input } from '@angular/core';
import { LoadPoint, Round, Saturation } from '../../../generated/types';
import { ChartComponent } from '../../charts/chart.component';
import { palette } from '../../charts/palette';
import { inMs, mib, number, rate } from '../../core/format';
import { HostSettings } from '../../core/host-settings';
import { toldInIops } from '../../core/slow';
import { Column, figure, minor } from '../../shared/data-table/column';
import { DataTableComponent } from '../../shared/data-table/data-table.component';
import { MARKS, marksOf, saturationOption } from './saturation-chart';
import { fill } from '../../shared/fill';

/** Where the cluster saturates: the curve with its knee, and the load to run at. */
@Component({
  selector: 'pb-saturation',
  imports: [ChartComponent, DataTableComponent],
  template: `
    @if (round().saturation; as found) {
      <section class="pb-card" aria-labelledby="pb-saturation">
        <header class="pb-card__head">
          <h2 id="pb-saturation">Where it saturates</h2>
          <span class="pb-quiet">{{
            fill('{runs|run|runs} of up to {most}', {
              runs: found.runs.length,
              most: found.most_runs,
            })
          }}</span>
        </header>
        @if (said(); as sentence) {
          <p class="pb-remark pb-remark--good">
            <span class="pb-remark__sign" aria-hidden="true">✓</span>
            <span class="pb-remark__text">{{ sentence }}</span>
          </p>
          @if (!found.confirmed) {
            <p class="pb-quiet">The peak and the knee have not both been measured twice yet.</p>
          }
        }
        @if (chart(); as drawn) {
          <pb-chart [option]="drawn.option" [label]="drawn.label" [height]="320" />
          <pb-table
            name="Where it saturates"
            [file]="'round-' + round().id + '-saturation'"
            [columns]="columns()"
            [rows]="found.curve"
            [rowId]="rowId"
          />
        } @else {
          <p class="pb-empty">No run has figures yet.</p>
        }
      </section>
    }
  `,
})
export class SaturationComponent {
  readonly round = input.required<Round>();
  readonly #host = inject(HostSettings);
  protected readonly fill = fill;
  readonly #found = computed(() => this.round().saturation);
  protected readonly said = computed(() => {
    const found = this.#found();
    if (!found?.recommended || !found.reason) return null;
    const { clients, threads } = found.recommended;
    const load = fill('{clients|client|clients} × {threads}', { clients, threads });
    const reason = found.reason;
    return `Run at ${load}: ${reason}.`;
  });
  protected readonly chart = computed(() => {
    const found = this.#found();
    if (!found?.curve.length) return null;
    const iops = toldInIops(this.round().load?.size ?? 0);
    return {
      option: saturationOption(found, iops, palette(this.#host.dark())),
      label: this.#label(found),
    };
  });
  protected readonly columns = computed(() => columns(this.#found()));
  protected readonly rowId = (row: LoadPoint): string => `${row.clients} ${row.threads}`;

  #label(found: Saturation): string {
    const marked = MARKS.map((mark) => {
      const point = found[mark];
      if (!point) return '';
      const { clients, threads, bytes_per_second: bytes } = point;
      const load = fill('{clients|client|clients} × {threads}', { clients, threads });
      return `${mark} ${load}, ${rate(bytes)}`;
    });
    const marks = marked.filter(Boolean).join('; ');
    return fill('Throughput and latency at {count|load|loads}: {marks}.', {
      count: found.curve.length,
      marks,
    });
  }
}

function columns(found: Saturation | null): readonly Column<LoadPoint>[] {
  const count = (value: number | null): string => number(value, 0);
  return [
    {
      key: 'load',
      title: 'Load',
      value: (row) =>
        fill('{clients|client|clients} × {threads}', {
          clients: row.clients,
          threads: row.threads,
        }),
    },
    figure('in_flight', 'Operations in flight', count),
    figure('runs', 'Runs', count),
    figure('bytes_per_second', 'MiB/s', mib),
    minor(figure('lowest_bytes_per_second', 'Lowest', mib)),
    minor(figure('highest_bytes_per_second', 'Highest', mib)),
    figure('iops', 'IOPS', count),
    figure('mean_latency', 'Mean ms', inMs),
    figure('p99_latency', 'p99 ms', inMs),
    {
      key: 'mark',
      title: 'Mark',
      value: (row) =>
        found === null
          ? ''
          : marksOf(found, row)
              .map((mark) => mark)
              .join(', '),
    },
  ];
}
