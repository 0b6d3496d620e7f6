import { Component, computed, input } from '@angular/core';
import { Job, Round } from '../../../generated/types';
import { inMs, mib, number, size } from '../../core/format';
import { Column, figure, plain } from '../../shared/data-table/column';
import { DataTableComponent } from '../../shared/data-table/data-table.component';

/** What another tool reported, job by job. */
@Component({
  selector: 'pb-imported',
  imports: [DataTableComponent],
  template: `
    <section class="pb-card" aria-labelledby="pb-imported">
      <h2 id="pb-imported">What {{ round().kind }} reported</h2>
      <pb-table
        name="What {{ round().kind }} reported"
        [file]="'round-' + round().id + '-jobs'"
        [columns]="columns()"
        [rows]="round().imported?.jobs ?? []"
        [rowId]="rowId"
      />
    </section>
  `,
})
export class ImportedComponent {
  readonly round = input.required<Round>();
  protected readonly columns = computed(() => columns());
  protected readonly rowId = (row: Job): string => `${row.name} ${row.operation}`;
}

function columns(): readonly Column<Job>[] {
  return [
    plain('name', 'Job'),
    plain('operation', 'Operation'),
    figure('block_size', 'Block size', (bytes) => size(bytes === 0 ? null : bytes)),
    figure('bytes_per_second', 'MiB/s', mib),
    figure('iops', 'IOPS', (value) => number(value)),
    figure('seconds', 'Seconds', (value) => number(value)),
    figure('mean_latency', 'Mean ms', inMs),
    figure('p50_latency', 'p50 ms', inMs),
    figure('p95_latency', 'p95 ms', inMs),
    figure('p99_latency', 'p99 ms', inMs),
    figure('max_latency', 'Max ms', inMs),
  ];
}
