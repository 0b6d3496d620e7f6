import { Component, computed, input } from '@angular/core';
import { Osd } from '../../generated/types';
import { percent } from '../core/format';
import { resultColumn } from '../rounds/result-column';
import { PeersComponent } from '../shared/peers.component';
import { Column } from '../shared/data-table/column';
import { PIECES } from '../shared/pieces';

const SHOWN = 8;

/** The slowest OSDs against their peers. */
@Component({
  selector: 'pb-slowest',
  imports: [PIECES, PeersComponent],
  template: `
    @if (compared().length) {
      <pb-table
        file="slowest-osds"
        name="Slowest OSDs against their peers in benches"
        [columns]="columns()"
        [rows]="compared()"
        [rowId]="id"
      >
        <ng-template pbCell="osd" [pbCellOf]="compared()" let-row>
          <a [pbLink]="'/osds/' + row.osd">osd.{{ row.osd }}</a>
        </ng-template>
        <ng-template pbCell="percent_of_peers" [pbCellOf]="compared()" let-row>
          <pb-peers
            [value]="row.last_bench?.percent_of_peers ?? null"
            [z]="row.last_bench?.robust_z ?? null"
          />
        </ng-template>
        <ng-template pbCell="round" [pbCellOf]="compared()" let-row>
          <a [pbLink]="'/rounds/' + row.last_bench?.round">{{ row.last_bench?.round }}</a>
        </ng-template>
      </pb-table>
    } @else {
      <p class="pb-empty">No round has compared OSDs with their peers yet.</p>
    }
  `,
})
export class SlowestComponent {
  readonly osds = input.required<readonly Osd[]>();
  protected readonly compared = computed(() =>
    this.osds()
      .filter((osd) => typeof osd.last_bench?.percent_of_peers === 'number')
      .slice(0, SHOWN),
  );
  protected readonly id = (row: Osd): number => row.osd;
  protected readonly columns = computed((): readonly Column<Osd>[] => [
    { key: 'osd', title: 'OSD', value: (row) => row.osd },
    { key: 'host', title: 'Host', value: (row) => row.host },
    { key: 'class', title: 'Class', value: (row) => row.class },
    {
      key: 'percent_of_peers',
      title: 'Of peers',
      help: 'Percent of the median of the other OSDs of the same device class and model.',
      value: (row) => row.last_bench?.percent_of_peers ?? null,
      text: (row) => percent(row.last_bench?.percent_of_peers),
      figure: true,
    },
    resultColumn('', ({ last_bench: bench }) => ({
      bytes: bench?.bytes_per_second,
      iops: bench?.iops,
    })),
    {
      key: 'round',
      title: 'Round',
      value: (row) => row.last_bench?.round ?? null,
      figure: true,
    },
  ]);
}
