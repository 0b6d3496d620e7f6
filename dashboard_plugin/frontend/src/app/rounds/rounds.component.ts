import { ChangeDetectionStrategy, Component, inject, signal } from '@angular/core';
import { RoundLine } from '../../generated/types';
import { Api } from '../core/api';
import { live } from '../core/live';
import { Page } from '../core/http';
import { Pulse } from '../core/pulse';
import { everything } from '../core/everything';
import { translator } from '../i18n/i18n';
import { AnswerComponent } from '../shared/answer.component';
import { TableQuery } from '../shared/data-table/column';
import { ActiveRoundComponent } from './active-round.component';
import { RoundsTableComponent } from './rounds-table.component';

const POLL_MS = 30_000;

/** All rounds, newest first, and the one that runs. */
@Component({
  selector: 'pb-rounds',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [ActiveRoundComponent, AnswerComponent, RoundsTableComponent],
  template: `
    <pb-active-round />
    <section class="pb-card">
      <header class="pb-card__head">
        <h2>{{ t('rounds.title') }}</h2>
      </header>
      <pb-answer [live]="rounds">
        @if (rounds.value(); as page) {
          @if (page.total || query().search) {
            <pb-rounds-table
              [rows]="page.rows"
              [total]="page.total"
              [all]="all"
              (query)="query.set($event)"
            />
          } @else {
            <p class="pb-empty">{{ t('rounds.empty') }}</p>
          }
        }
      </pb-answer>
    </section>
  `,
})
export class RoundsComponent {
  readonly #api = inject(Api);
  readonly #pulse = inject(Pulse);
  protected readonly t = translator();
  protected readonly query = signal<TableQuery>({ offset: 0, limit: 25, sort: '', search: '' });
  protected readonly rounds = live((signal) => this.#ask(signal), {
    every: () => POLL_MS,
    keep: true,
    remember: () => `rounds ${JSON.stringify(this.query())}`,
  });

  protected readonly all = (): Promise<readonly RoundLine[]> => {
    const { search, sort } = this.query();
    return everything((part) => this.#api.rounds({ ...part, search, sort }));
  };

  #ask(signal: AbortSignal): Promise<Page<RoundLine>> {
    this.#pulse.rounds();
    return this.#api.rounds({ ...this.query() }, signal);
  }
}
