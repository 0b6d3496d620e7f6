import { Component, computed, inject, input } from '@angular/core';
import { RoundLine } from '../../generated/types';
import { Clock } from '../core/clock';
import { roughDuration } from '../core/format';
import { medianColumn } from '../rounds/result-column';
import { SlowestOsdComponent } from '../rounds/slowest-osd.component';
import { Column } from '../shared/data-table/column';
import { PIECES } from '../shared/pieces';

/** The last rounds: how long ago, and what they measured. */
@Component({
  selector: 'pb-last-rounds',
  imports: [PIECES, SlowestOsdComponent],
  template: `
    <pb-table file="rounds" name="Last rounds" [columns]="columns()" [rows]="rows()" [rowId]="id">
      <ng-template pbCell="id" [pbCellOf]="rows()" let-row>
        <a [pbLink]="'/rounds/' + row.id">{{ row.id }}</a>
      </ng-template>
      <ng-template pbCell="verdict" [pbCellOf]="rows()" let-row>
        <pb-state [word]="row.unreadable ? 'unreadable' : (row.verdict ?? row.state)" />
      </ng-template>
      <ng-template pbCell="slowest" [pbCellOf]="rows()" let-row>
        <pb-slowest-osd [round]="row" />
      </ng-template>
    </pb-table>
  `,
})
export class LastRoundsComponent {
  readonly rows = input.required<readonly RoundLine[]>();
  readonly #clock = inject(Clock);
  protected readonly id = (row: RoundLine): number => row.id;
  protected readonly columns = computed((): readonly Column<RoundLine>[] => [
    { key: 'id', title: 'Round', value: (row) => row.id },
    { key: 'profile', title: 'Profile', value: (row) => row.profile },
    {
      key: 'started_at',
      title: 'Started',
      value: (row) => row.started_at,
      text: (row) => this.#ago(row.started_at),
    },
    { key: 'verdict', title: 'Verdict', value: (row) => row.verdict },
    medianColumn(),
    {
      key: 'slowest',
      title: 'Slowest',
      value: (row) => row.summary.slowest_percent_of_peers ?? null,
      figure: true,
    },
  ]);

  #ago(at: string | null): string {
    if (!at) return '–';
    const seconds = Math.max(0, (this.#clock.now() - Date.parse(at)) / 1000);
    return `${roughDuration(seconds)} ago`;
  }
}
