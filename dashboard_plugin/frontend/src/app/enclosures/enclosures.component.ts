import { ChangeDetectionStrategy, Component, computed, inject } from '@angular/core';
import { Enclosure } from '../../generated/types';
import { Api } from '../core/api';
import { translator } from '../i18n/i18n';
import { AnswerComponent } from '../shared/answer.component';
import { CellDirective } from '../shared/data-table/cell.directive';
import { DataTableComponent } from '../shared/data-table/data-table.component';
import { RemoteList } from '../shared/data-table/remote-list';
import { LinkDirective } from '../shared/link.directive';
import { StateBadgeComponent } from '../shared/state-badge.component';
import { HostsComponent } from './hosts.component';
import { enclosureColumns } from './enclosure-columns';
import { TellComponent } from './tell.component';

const POLL_MS = 15_000;

/** The enclosures that are known, and the hosts with how old their facts are. */
@Component({
  selector: 'pb-enclosures',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [
    AnswerComponent,
    CellDirective,
    DataTableComponent,
    HostsComponent,
    LinkDirective,
    StateBadgeComponent,
    TellComponent,
  ],
  template: `
    <section class="pb-card" aria-labelledby="pb-enclosures">
      <h2 id="pb-enclosures">{{ t('enclosures.title') }}</h2>
      <pb-answer [live]="list.live">
        @if (list.live.value(); as page) {
          @if (page.total || list.query().search) {
            <pb-table
              file="enclosures"
              [name]="t('enclosures.title')"
              [columns]="columns()"
              [rows]="page.rows"
              [rowId]="id"
              [total]="page.total"
              [all]="list.all"
              (query)="list.query.set($event)"
            >
              <ng-template pbCell="id" [pbCellOf]="page.rows" let-row>
                <a [pbLink]="route(row)">{{ row.id }}</a>
              </ng-template>
              <ng-template pbCell="state" [pbCellOf]="page.rows" let-row>
                <pb-state [word]="row.state" />
              </ng-template>
            </pb-table>
          } @else {
            <pb-tell [what]="t('enclosures.none')" />
          }
        }
      </pb-answer>
    </section>
    <pb-hosts />
  `,
})
export class EnclosuresComponent {
  readonly #api = inject(Api);
  protected readonly t = translator();
  protected readonly list = new RemoteList<Enclosure>(
    (query, signal) => this.#api.enclosures(query, signal),
    'enclosures',
    POLL_MS,
  );
  protected readonly columns = computed(() => enclosureColumns(this.t));
  protected readonly id = (row: Enclosure): string => row.id;

  protected route({ id }: Enclosure): string {
    return `/enclosures/${encodeURIComponent(id)}`;
  }
}
