import { ChangeDetectionStrategy, Component, computed, inject } from '@angular/core';
import { Finding } from '../../generated/types';
import { Api } from '../core/api';
import { Page } from '../core/http';
import { Navigator } from '../core/navigator';
import { withQuery } from '../core/route';
import { AnswerComponent } from '../shared/answer.component';
import { RemoteList } from '../shared/data-table/remote-list';
import { CoverageComponent } from '../shared/coverage.component';
import { AlertsComponent } from './alerts.component';
import { FindingsTableComponent } from './findings-table.component';
import { WatchStateComponent } from '../shared/watch-state.component';

const POLL_MS = 15_000;

/** A page of findings, and whether those that are over are among them. */
interface Listed extends Page<Finding> {
  readonly closed: boolean;
}

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
        <h2 id="pb-findings">Findings</h2>
        <span class="pb-head__space"></span>
        <label class="pb-check">
          <input #box type="checkbox" [checked]="closed()" (change)="choose(box.checked)" />
          Show closed findings
        </label>
      </header>
      <pb-watch-state />
      <pb-answer [live]="list.live" [there]="there()">
        @if (list.live.value(); as page) {
          @if (some()) {
            <pb-findings-table
              [rows]="page.rows"
              [total]="page.total"
              [all]="list.all"
              [asked]="list.query()"
              (query)="list.query.set($event)"
            />
          } @else if (there()) {
            <p class="pb-empty">
              {{ closed() ? 'No findings so far.' : 'No findings in what was looked at.' }}
            </p>
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
  protected readonly closed = computed(() => this.#navigator.route().query['closed'] === '1');
  protected readonly list = new RemoteList<Finding, Listed>(
    async (query, signal) => {
      const page = await this.#api.findings(query, signal);
      return { ...page, closed: 'everything' in query };
    },
    'findings',
    POLL_MS,
    { which: () => (this.closed() ? { everything: 'true' } : {}) },
  );
  protected readonly some = computed(
    () => Boolean(this.list.live.value()?.total) || this.list.query().search !== '',
  );
  /** "None" is said only of what was asked for: that none is open does not say that none is over. */
  protected readonly there = computed(() => {
    const page = this.list.live.value();
    return page !== null && (this.some() || page.closed === this.closed());
  });

  protected choose(closed: boolean): void {
    this.list.query.update((before) => ({ ...before, offset: 0 }));
    this.#navigator.go(withQuery('/findings', { closed: closed ? '1' : null }));
  }
}
