import { ChangeDetectionStrategy, Component, computed, inject } from '@angular/core';
import { Worker } from '../../generated/types';
import { Api } from '../core/api';
import { translator } from '../i18n/i18n';
import { AnswerComponent } from '../shared/answer.component';
import { TimeComponent } from '../shared/badges.component';
import { CommandComponent } from '../shared/command.component';
import { CellDirective } from '../shared/data-table/cell.directive';
import { DataTableComponent } from '../shared/data-table/data-table.component';
import { RemoteList } from '../shared/data-table/remote-list';
import { StateBadgeComponent } from '../shared/state-badge.component';
import { workerColumns } from './worker-columns';

/** Each question is a roll call through RADOS, which takes a second. */
const POLL_MS = 15_000;

/** Hosts that wait to run clients of rounds: which are ready, lost, or not to be used. */
@Component({
  selector: 'pb-workers',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [
    AnswerComponent,
    CellDirective,
    CommandComponent,
    DataTableComponent,
    StateBadgeComponent,
    TimeComponent,
  ],
  template: `
    <section class="pb-card" aria-labelledby="pb-workers">
      <h2 id="pb-workers">{{ t('workers.title') }}</h2>
      <p class="pb-quiet">{{ t('workers.help') }}</p>
      <pb-answer [live]="list.live">
        @if (list.live.value(); as page) {
          @if (page.total || list.query().search) {
            <pb-table
              file="workers"
              [name]="t('workers.title')"
              [columns]="columns()"
              [rows]="page.rows"
              [rowId]="id"
              [total]="page.total"
              [all]="list.all"
              (query)="list.query.set($event)"
            >
              <ng-template pbCell="state" [pbCellOf]="page.rows" let-row>
                <pb-state [word]="row.state" />
              </ng-template>
              <ng-template pbCell="note" [pbCellOf]="page.rows" let-row>
                <span class="pb-words">{{ row.note }}</span>
              </ng-template>
              <ng-template pbCell="last_seen" [pbCellOf]="page.rows" let-row>
                <pb-time [at]="row.last_seen" />
              </ng-template>
            </pb-table>
          } @else {
            <p class="pb-empty">{{ t('workers.none') }}</p>
            <p>{{ t('workers.start') }}</p>
            <pb-command text="ceph-perf-bench worker" />
          }
        }
      </pb-answer>
    </section>
  `,
})
export class WorkersComponent {
  readonly #api = inject(Api);
  protected readonly t = translator();
  protected readonly list = new RemoteList<Worker>(
    (query, signal) => this.#api.workers(query, signal),
    'workers',
    POLL_MS,
  );
  protected readonly columns = computed(() => workerColumns(this.t));
  protected readonly id = (row: Worker): string => `${row.id} ${row.instance}`;
}
