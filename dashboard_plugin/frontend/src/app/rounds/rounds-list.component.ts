import { Component, computed, inject, input, linkedSignal } from '@angular/core';
import { RoundLine } from '../../generated/types';
import { Api } from '../core/api';
import { live } from '../core/live';
import { Pulse } from '../core/pulse';
import { AnswerComponent } from '../shared/answer.component';
import { RemoteList } from '../shared/data-table/remote-list';
import { LinkDirective } from '../shared/link.directive';
import { compareRoute, mayBeTicked, pairOf, toggled } from './choice';
import { RoundsTableComponent } from './rounds-table.component';
import { fill } from '../shared/fill';

const POLL_MS = 30_000;
/** As many as one answer has. */
const MOST = 500;

/** All rounds, newest first; two of them can be chosen to be compared. */
@Component({
  selector: 'pb-rounds-list',
  imports: [AnswerComponent, LinkDirective, RoundsTableComponent],
  template: `
    <section class="pb-card" [attr.aria-label]="heading()">
      <header class="pb-card__head pb-card__head--high">
        <h2>{{ heading() }}</h2>
        <span class="pb-head__space"></span>
        <ng-content />
        @if (pair(); as two) {
          <a class="pb-button pb-button--main pb-button--link" [pbLink]="route()">{{
            fill('Compare rounds {a} and {b}', two)
          }}</a>
        } @else if (chosen()[0]; as id) {
          <span class="pb-quiet" role="status">Tick one more, to compare with round {{ id }}.</span>
        } @else if ((list.live.value()?.total ?? 0) > 1) {
          <span class="pb-quiet">Tick two rounds to compare them.</span>
        }
      </header>
      <pb-answer [live]="list.live">
        @if (list.live.value(); as page) {
          @if (page.total || list.query().search) {
            <pb-rounds-table
              [rows]="page.rows"
              [total]="page.total"
              [all]="list.all"
              [asked]="list.query()"
              [chosen]="chosen()"
              [barred]="barred()"
              (choose)="chosen.set(toggled(chosen(), $event))"
              (query)="list.query.set($event)"
            />
          } @else {
            <p class="pb-empty">
              {{
                first() === null
                  ? 'No round has run yet.'
                  : 'No other round can be compared with this one: of the same profile and sizes, valid or noisy.'
              }}
            </p>
          }
        }
      </pb-answer>
    </section>
  `,
})
export class RoundsListComponent {
  readonly heading = input.required<string>();
  /** A round that is chosen from the beginning: only those comparable with it are offered. */
  readonly first = input<number | null>(null);
  readonly #api = inject(Api);
  readonly #pulse = inject(Pulse);
  protected readonly fill = fill;
  protected readonly toggled = toggled;
  protected readonly chosen = linkedSignal<readonly number[]>(() => {
    const first = this.first();
    return first === null ? [] : [first];
  });
  protected readonly pair = computed(() => pairOf(this.chosen()));
  protected readonly route = computed(() => {
    const pair = this.pair();
    return compareRoute(pair?.a ?? null, pair?.b ?? null);
  });
  /** With which the next one would be compared. */
  readonly #last = computed(() => this.chosen().at(-1) ?? null);
  readonly #offered = live(async (signal) => {
    const comparable = this.#last();
    if (comparable === null || this.first() !== null) return null;
    const newest = { offset: 0, limit: MOST, sort: '-id', search: '', comparable };
    const { rows, total } = await this.#api.page('round', newest, signal);
    return { of: comparable, ids: new Set(rows.map(({ id }) => id)), more: total > rows.length };
  });
  /** Whether a round cannot be compared with the one that was ticked last. */
  protected readonly barred = computed(() => {
    const offered = this.#offered.value();
    const known = offered?.of === this.#last() ? offered : null;
    return (round: number) =>
      known !== null &&
      !this.chosen().includes(round) &&
      !mayBeTicked(round, known.ids, known.more);
  });
  protected readonly list = new RemoteList<RoundLine>(
    (query, signal) => {
      this.#pulse.rounds();
      return this.#api.page('round', query, signal);
    },
    'rounds',
    POLL_MS,
    {
      which: () => {
        const comparable = this.first();
        return comparable === null ? {} : { comparable };
      },
    },
  );
}
