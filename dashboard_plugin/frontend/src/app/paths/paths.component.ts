import { ChangeDetectionStrategy, Component, computed, inject } from '@angular/core';
import { Multipath, Path } from '../../generated/types';
import { Api } from '../core/api';
import { TellComponent } from '../enclosures/tell.component';
import { translator } from '../i18n/i18n';
import { AnswerComponent } from '../shared/answer.component';
import { CellDirective } from '../shared/data-table/cell.directive';
import { DataTableComponent } from '../shared/data-table/data-table.component';
import { RemoteList } from '../shared/data-table/remote-list';
import { LinkDirective } from '../shared/link.directive';
import { StateBadgeComponent } from '../shared/state-badge.component';
import { isGood, pathColumns, pathText } from './path-columns';

const POLL_MS = 15_000;

/** Disks of several paths: how many carry data of those there should be. */
@Component({
  selector: 'pb-paths',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [
    AnswerComponent,
    CellDirective,
    DataTableComponent,
    LinkDirective,
    StateBadgeComponent,
    TellComponent,
  ],
  template: `
    <section class="pb-card" aria-labelledby="pb-paths">
      <h2 id="pb-paths">{{ t('paths.title') }}</h2>
      <pb-answer [live]="list.live">
        @if (list.live.value(); as page) {
          @if (page.total || list.query().search) {
            <pb-table
              file="paths"
              [name]="t('paths.title')"
              [columns]="columns()"
              [rows]="page.rows"
              [rowId]="id"
              [total]="page.total"
              [all]="list.all"
              (query)="list.query.set($event)"
            >
              <ng-template pbCell="osd" [pbCellOf]="page.rows" let-row>
                @if (row.osd !== null) {
                  <a [pbLink]="'/osds/' + row.osd">osd.{{ row.osd }}</a>
                } @else {
                  {{ t('common.none') }}
                }
              </ng-template>
              <ng-template pbCell="state" [pbCellOf]="page.rows" let-row>
                <pb-state [word]="row.state" />
              </ng-template>
              <ng-template pbCell="paths" [pbCellOf]="page.rows" let-row>
                @for (path of row.paths; track path.device) {
                  <span [class.pb-slow]="!good(path)">{{ text(path) }}</span>{{ $last ? '' : ', ' }}
                }
              </ng-template>
            </pb-table>
          } @else {
            <pb-tell [what]="t('paths.none')" />
          }
        }
      </pb-answer>
    </section>
  `,
})
export class PathsComponent {
  readonly #api = inject(Api);
  protected readonly t = translator();
  protected readonly list = new RemoteList<Multipath>(
    (query, signal) => this.#api.multipaths(query, signal),
    'paths',
    POLL_MS,
  );
  protected readonly columns = computed(() => pathColumns(this.t));
  protected readonly id = (row: Multipath): string => `${row.host} ${row.name}`;

  protected good(path: Path): boolean {
    return isGood(path);
  }

  protected text(path: Path): string {
    return pathText(path);
  }
}
