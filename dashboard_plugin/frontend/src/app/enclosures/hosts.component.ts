import { ChangeDetectionStrategy, Component, computed, inject } from '@angular/core';
import { Host } from '../../generated/types';
import { Api } from '../core/api';
import { translator } from '../i18n/i18n';
import { AnswerComponent } from '../shared/answer.component';
import { TimeComponent } from '../shared/badges.component';
import { CellDirective } from '../shared/data-table/cell.directive';
import { DataTableComponent } from '../shared/data-table/data-table.component';
import { RemoteList } from '../shared/data-table/remote-list';
import { hostColumns } from './enclosure-columns';

const POLL_MS = 60_000;
/** Older facts accuse nobody. */
const STALE_SECONDS = 2 * 86_400;

/** The hosts and what they told of themselves, so that one sees who has not. */
@Component({
  selector: 'pb-hosts',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [AnswerComponent, CellDirective, DataTableComponent, TimeComponent],
  template: `
    <section class="pb-card" aria-labelledby="pb-hosts">
      <h2 id="pb-hosts">{{ t('hosts.title') }}</h2>
      <p class="pb-quiet">{{ t('hosts.help') }}</p>
      <pb-answer [live]="list.live">
        @if (list.live.value(); as page) {
          <pb-table
            file="hosts"
            [name]="t('hosts.title')"
            [columns]="columns()"
            [rows]="page.rows"
            [rowId]="id"
            [total]="page.total"
            [all]="list.all"
            (query)="list.query.set($event)"
          >
            <ng-template pbCell="collected_at" [pbCellOf]="page.rows" let-row>
              @if (row.collected_at) {
                <pb-time [at]="row.collected_at" />&ngsp;
                @if (stale(row)) {
                  <span class="pb-badge pb-badge--noisy">{{ t('hosts.stale') }}</span>
                }
              } @else {
                <span class="pb-quiet">{{ t('hosts.never') }}</span>
              }
            </ng-template>
          </pb-table>
        }
      </pb-answer>
    </section>
  `,
})
export class HostsComponent {
  readonly #api = inject(Api);
  protected readonly t = translator();
  protected readonly list = new RemoteList<Host>(
    (query, signal) => this.#api.hosts(query, signal),
    'hosts',
    POLL_MS,
  );
  protected readonly columns = computed(() => hostColumns(this.t));
  protected readonly id = (row: Host): string => row.host;

  protected stale({ age_seconds }: Host): boolean {
    return (age_seconds ?? 0) > STALE_SECONDS;
  }
}
