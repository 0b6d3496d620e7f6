import { Component, input, output } from '@angular/core';
import { Finding } from '../../generated/types';
import { Column, TableQuery, plain } from '../shared/data-table/column';
import { targetText } from '../shared/target.component';
import { PIECES } from '../shared/pieces';

/** Findings in a table; remote when there is a `total`. */
@Component({
  selector: 'pb-findings-table',
  imports: [PIECES],
  template: `
    <pb-table
      file="findings"
      name="Findings"
      [columns]="columns"
      [rows]="rows()"
      [rowId]="id"
      [total]="total()"
      [all]="all()"
      [asked]="asked()"
      empty="No finding matches."
      (query)="query.emit($event)"
    >
      <ng-template pbCell="id" [pbCellOf]="rows()" let-row>
        <a [pbLink]="'/findings/' + row.id">{{ row.id }}</a>
      </ng-template>
      <ng-template pbCell="severity" [pbCellOf]="rows()" let-row>
        <pb-state [word]="row.severity" />
      </ng-template>
      <ng-template pbCell="target" [pbCellOf]="rows()" let-row>
        <pb-target [target]="row.target" />
      </ng-template>
      <ng-template pbCell="first_seen" [pbCellOf]="rows()" let-row>
        <pb-time [at]="row.first_seen" />
      </ng-template>
      <ng-template pbCell="last_seen" [pbCellOf]="rows()" let-row>
        <pb-time [at]="row.last_seen" />
      </ng-template>
      <ng-template pbCell="message" [pbCellOf]="rows()" let-row>
        <span class="pb-words">{{ row.message }}</span>
        @if (row.acknowledged; as note) {
          <span class="pb-words pb-quiet">Acknowledged: {{ note.text }}</span>
        }
      </ng-template>
    </pb-table>
  `,
})
export class FindingsTableComponent {
  readonly rows = input.required<readonly Finding[]>();
  readonly total = input<number | null>(null);
  readonly all = input<(() => Promise<readonly Finding[]>) | null>(null);
  readonly asked = input<TableQuery | null>(null);
  readonly query = output<TableQuery>();
  /** The keys are those that the back end sorts by. */
  protected readonly columns: readonly Column<Finding>[] = [
    plain('id', 'ID'),
    plain('severity', 'Severity'),
    plain('state', 'State'),
    { key: 'target', title: 'Target', value: (row) => targetText(row.target), sortable: true },
    plain('message', 'Problem'),
    plain('first_seen', 'Since'),
    plain('last_seen', 'Last seen', { minor: true }),
  ];
  protected readonly id = (row: Finding): number => row.id;
}
