import { Component, computed, contentChildren, input } from '@angular/core';
import { AnswerComponent } from '../answer.component';
import { CellDirective } from './cell.directive';
import { Column } from './column';
import { DataTableComponent } from './data-table.component';
import { RemoteList } from './remote-list';

/**
 * A list of the back end as a card: a table that asks for its pages. The content is what stands
 * there while the list is empty, beside the looks of cells (`pbCell`), which go to the table.
 */
@Component({
  selector: 'pb-list',
  imports: [AnswerComponent, DataTableComponent],
  template: `
    <section class="pb-card" [attr.aria-labelledby]="headId()">
      <h2 [id]="headId()">{{ heading() }}</h2>
      @if (help()) {
        <p class="pb-quiet">{{ help() }}</p>
      }
      <pb-answer [live]="of().live">
        @if (of().live.value(); as page) {
          @if (page.total || of().query().search) {
            <pb-table
              [file]="of().name"
              [name]="heading()"
              [columns]="columns()"
              [rows]="page.rows"
              [rowId]="rowId()"
              [total]="page.total"
              [all]="of().all"
              [pageSize]="of().query().limit"
              [asked]="of().query()"
              [looks]="cells()"
              (query)="of().query.set($event)"
            />
          } @else {
            <ng-content>
              <p class="pb-empty">Nothing matches.</p>
            </ng-content>
          }
        }
      </pb-answer>
    </section>
  `,
})
export class ListComponent<T> {
  readonly of = input.required<RemoteList<T>>();
  readonly heading = input.required<string>();
  readonly help = input('');
  readonly columns = input.required<readonly Column<T>[]>();
  readonly rowId = input.required<(row: T) => string | number>();
  protected readonly cells = contentChildren<CellDirective<T>>(CellDirective);
  protected readonly headId = computed(() => `pb-${this.of().name}`);
}
