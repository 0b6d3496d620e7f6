import { ChangeDetectionStrategy, Component, computed, inject } from '@angular/core';
import { Worker } from '../../generated/types';
import { Api } from '../core/api';
import { translator } from '../i18n/i18n';
import { TimeComponent } from '../shared/time.component';
import { CommandComponent } from '../shared/command.component';
import { CellDirective } from '../shared/data-table/cell.directive';
import { ListComponent } from '../shared/data-table/list.component';
import { RemoteList } from '../shared/data-table/remote-list';
import { StateBadgeComponent } from '../shared/state-badge.component';
import { workerColumns } from './worker-columns';

/** Each question is a roll call through RADOS, which takes a second. */
const POLL_MS = 15_000;

/** Hosts that wait to run clients of rounds: which are ready, lost, or not to be used. */
@Component({
  selector: 'pb-workers',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [CellDirective, CommandComponent, ListComponent, StateBadgeComponent, TimeComponent],
  template: `
    <pb-list
      [of]="list"
      [heading]="t('workers.title')"
      [help]="t('workers.help')"
      [columns]="columns()"
      [rowId]="id"
    >
      <ng-template pbCell="state" [pbCellOf]="list.rows()" let-row>
        <pb-state [word]="row.state" />
      </ng-template>
      <ng-template pbCell="note" [pbCellOf]="list.rows()" let-row>
        <span class="pb-words">{{ row.note }}</span>
      </ng-template>
      <ng-template pbCell="last_seen" [pbCellOf]="list.rows()" let-row>
        <pb-time [at]="row.last_seen" />
      </ng-template>
      <p class="pb-empty">{{ t('workers.none') }}</p>
      <p>{{ t('workers.start') }}</p>
      <pb-command text="ceph-perf-bench worker" />
    </pb-list>
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
