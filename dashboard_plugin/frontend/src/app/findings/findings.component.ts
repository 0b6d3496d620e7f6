import { Component, inject } from '@angular/core';
import { Finding } from '../../generated/types';
import { Api } from '../core/api';
import { AnswerComponent } from '../shared/answer.component';
import { RemoteList } from '../shared/data-table/remote-list';
import { FindingsTableComponent } from './findings-table.component';

const POLL_MS = 15_000;

/** All findings, worst first, those that are over too. */
@Component({
  selector: 'pb-findings',
  imports: [AnswerComponent, FindingsTableComponent],
  template: `
    <section class="pb-card" aria-labelledby="pb-findings">
      <h2 id="pb-findings">Findings, also those that are over</h2>
      <pb-answer [live]="list.live">
        @if (list.live.value(); as page) {
          @if (page.total || list.query().search) {
            <pb-findings-table
              [rows]="page.rows"
              [total]="page.total"
              [all]="list.all"
              [asked]="list.query()"
              (query)="list.query.set($event)"
            />
          } @else {
            <p class="pb-empty">No findings so far.</p>
          }
        }
      </pb-answer>
    </section>
  `,
})
export class FindingsComponent {
  readonly #api = inject(Api);
  protected readonly list = new RemoteList<Finding>(
    (query, signal) => this.#api.page('finding', { ...query, everything: 'true' }, signal),
    'findings',
    POLL_MS,
  );
}
