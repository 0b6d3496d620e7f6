import { ChangeDetectionStrategy, Component, computed, input } from '@angular/core';
import { Osd } from '../../generated/types';
import { percent } from '../core/format';
import { translator } from '../i18n/i18n';
import { resultColumn } from '../rounds/result-column';
import { PeersComponent } from '../shared/peers.component';
import { CellDirective } from '../shared/data-table/cell.directive';
import { Column } from '../shared/data-table/column';
import { DataTableComponent } from '../shared/data-table/data-table.component';
import { LinkDirective } from '../shared/link.directive';

const SHOWN = 8;

/** The slowest OSDs against their peers. */
@Component({
  selector: 'pb-slowest',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [CellDirective, DataTableComponent, LinkDirective, PeersComponent],
  template: `
    @if (compared().length) {
      <pb-table
        file="slowest-osds"
        [name]="t('overview.slowest')"
        [columns]="columns()"
        [rows]="compared()"
        [rowId]="id"
        [searchable]="false"
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
      <p class="pb-empty">{{ t('overview.slowest.empty') }}</p>
    }
  `,
})
export class SlowestComponent {
  readonly osds = input.required<readonly Osd[]>();
  protected readonly t = translator();
  protected readonly compared = computed(() =>
    this.osds()
      .filter((osd) => typeof osd.last_bench?.percent_of_peers === 'number')
      .slice(0, SHOWN),
  );
  protected readonly id = (row: Osd): number => row.osd;
  protected readonly columns = computed((): readonly Column<Osd>[] => [
    { key: 'osd', title: this.t('common.osd'), value: (row) => row.osd },
    { key: 'host', title: this.t('common.host'), value: (row) => row.host },
    { key: 'class', title: this.t('common.class'), value: (row) => row.class },
    {
      key: 'percent_of_peers',
      title: this.t('common.peers'),
      help: this.t('common.peers.help'),
      value: (row) => row.last_bench?.percent_of_peers ?? null,
      text: (row) => percent(row.last_bench?.percent_of_peers),
      figure: true,
    },
    resultColumn(this.t, '', ({ last_bench: bench }) => ({
      bytes: bench?.bytes_per_second,
      iops: bench?.iops,
    })),
    {
      key: 'round',
      title: this.t('common.round'),
      value: (row) => row.last_bench?.round ?? null,
      figure: true,
    },
  ]);
}
