import { Component, input, output } from '@angular/core';
import { RoundLine } from '../../generated/types';
import { NOTHING, duration, percent } from '../core/format';
import { Column, TableQuery, figure, minor, plain } from '../shared/data-table/column';
import { medianColumn } from './result-column';
import { SlowestOsdComponent } from './slowest-osd.component';
import { PIECES } from '../shared/pieces';

/** Rounds in a table. */
@Component({
  selector: 'pb-rounds-table',
  imports: [PIECES, SlowestOsdComponent],
  template: `
    <pb-table
      file="rounds"
      name="Rounds"
      [columns]="columns"
      [rows]="rows()"
      [rowId]="id"
      [total]="total()"
      [all]="all()"
      [asked]="asked()"
      empty="No round matches."
      (query)="query.emit($event)"
    >
      <ng-template pbCell="id" [pbCellOf]="rows()" let-row>
        @if (chosen(); as ticked) {
          <input
            type="checkbox"
            attr.aria-label="Choose round {{ row.id }} to compare"
            [checked]="ticked.includes(row.id)"
            [disabled]="row.ended_at === null || barred()(row.id)"
            [title]="barred()(row.id) ? 'Cannot be compared with the chosen round.' : ''"
            (change)="choose.emit(row.id)"
          />
        }
        <a [pbLink]="'/rounds/' + row.id">{{ row.id }}</a>
      </ng-template>
      <ng-template pbCell="verdict" [pbCellOf]="rows()" let-row>
        <pb-state [word]="row.unreadable ? 'unreadable' : (row.verdict ?? row.state)" />
        @if (row.unreadable) {
          <small class="pb-quiet">{{ row.unreadable }}</small>
        }
      </ng-template>
      <ng-template pbCell="started_at" [pbCellOf]="rows()" let-row>
        <pb-time [at]="row.started_at" />
      </ng-template>
      <ng-template pbCell="summary.slowest_percent_of_peers" [pbCellOf]="rows()" let-row>
        <pb-slowest-osd [round]="row" />
      </ng-template>
    </pb-table>
  `,
})
export class RoundsTableComponent {
  readonly rows = input.required<readonly RoundLine[]>();
  readonly total = input<number | null>(null);
  /** The rounds that are ticked; null: there is nothing to tick. */
  readonly chosen = input<readonly number[] | null>(null);
  /** Whether a round cannot be ticked beside the chosen ones. */
  readonly barred = input<(round: number) => boolean>(() => false);
  readonly choose = output<number>();
  readonly all = input<(() => Promise<readonly RoundLine[]>) | null>(null);
  readonly asked = input<TableQuery | null>(null);
  readonly query = output<TableQuery>();
  /** The keys of those that sort are those that the back end sorts by. */
  protected readonly columns: readonly Column<RoundLine>[] = [
    plain('id', 'Round'),
    plain('profile', 'Profile'),
    plain('verdict', 'Verdict'),
    plain('label', 'Label', { text: (row) => row.label || NOTHING }),
    plain('started_at', 'Started'),
    minor(figure('took_seconds', 'Took', duration)),
    {
      key: 'summary.osds',
      title: 'OSDs',
      value: (row) => row.summary.osds ?? null,
      figure: true,
      minor: true,
    },
    medianColumn(),
    {
      key: 'summary.slowest_percent_of_peers',
      title: 'Slowest',
      value: (row) => row.summary.slowest_percent_of_peers ?? null,
      text: (row) => percent(row.summary.slowest_percent_of_peers),
      figure: true,
    },
  ];
  protected readonly id = (row: RoundLine): number => row.id;
}
