import { ChangeDetectionStrategy, Component, computed, inject } from '@angular/core';
import { Finding } from '../../generated/types';
import { Api } from '../core/api';
import { Navigator } from '../core/navigator';
import { withQuery } from '../core/route';
import { translator } from '../i18n/i18n';
import { AnswerComponent } from '../shared/answer.component';
import { RemoteList } from '../shared/data-table/remote-list';
import { CoverageComponent } from '../shared/coverage.component';
import { AlertsComponent } from './alerts.component';
import { FindingsTableComponent } from './findings-table.component';
import { WatchStateComponent } from '../shared/watch-state.component';

const POLL_MS = 15_000;

/** All findings, worst first; with a switch those too that are over, which stands in the route. */
@Component({
  selector: 'pb-findings',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [
    AlertsComponent,
    AnswerComponent,
    CoverageComponent,
    FindingsTableComponent,
    WatchStateComponent,
  ],
  template: `
    <section class="pb-card" aria-labelledby="pb-findings">
      <header class="pb-card__head">
        <h2 id="pb-findings">{{ t('findings.title') }}</h2>
        <span class="pb-head__space"></span>
        <label class="pb-check">
          <input #box type="checkbox" [checked]="closed()" (change)="choose(box.checked)" />
          {{ t('findings.closed') }}
        </label>
      </header>
      <pb-watch-state />
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
            <p class="pb-empty">{{ t(closed() ? 'findings.none.ever' : 'findings.none') }}</p>
          }
          <pb-coverage />
        }
      </pb-answer>
    </section>
    <pb-alerts />
  `,
})
export class FindingsComponent {
  readonly #api = inject(Api);
  readonly #navigator = inject(Navigator);
  protected readonly t = translator();
  protected readonly closed = computed(() => this.#navigator.route().query['closed'] === '1');
  protected readonly list = new RemoteList<Finding>(
    (query, signal) => this.#api.findings(query, signal),
    'findings',
    POLL_MS,
    { which: () => (this.closed() ? { everything: 'true' } : {}) },
  );

  protected choose(closed: boolean): void {
    this.list.query.update((before) => ({ ...before, offset: 0 }));
    this.#navigator.go(withQuery('/findings', { closed: closed ? '1' : null }));
  }
}
