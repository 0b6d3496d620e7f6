import { Component, computed, inject } from '@angular/core';
import { Navigator } from '../core/navigator';
import { RoundsListComponent } from '../rounds/rounds-list.component';
import { ComparisonComponent } from './comparison.component';

/** Two rounds side by side, as the route says: "?a=3&b=12"; those it lacks are chosen here. */
@Component({
  selector: 'pb-compare',
  imports: [ComparisonComponent, RoundsListComponent],
  template: `
    @if (wrong(); as why) {
      <p class="pb-notice pb-notice--bad" role="alert">{{ why }}</p>
    }
    @if (pair(); as two) {
      <pb-comparison [a]="two.a" [b]="two.b" />
    } @else {
      <pb-rounds-list [heading]="heading()" [first]="only()" />
    }
  `,
})
export class CompareComponent {
  readonly #navigator = inject(Navigator);
  readonly #given = computed(() => {
    const { a, b } = this.#navigator.route().query;
    return [a, b].filter((text) => text !== undefined);
  });
  readonly #rounds = computed(() => [...new Set(this.#given().filter(isRound).map(Number))]);
  protected readonly pair = computed(() => {
    const [a, b] = this.#rounds();
    return a === undefined || b === undefined ? null : { a, b };
  });
  /** The one round that is known so far. */
  protected readonly only = computed(() => this.#rounds()[0] ?? null);
  protected readonly heading = computed(() => {
    const id = this.only();
    return id === null ? 'Choose two rounds' : `Choose a round to compare with round ${id}`;
  });
  protected readonly wrong = computed(() => {
    const bad = this.#given().find((text) => !isRound(text));
    if (bad !== undefined) return `“${bad}” is not the number of a round.`;
    const [id] = this.#rounds();
    const twice = this.#given().length === 2 && this.#rounds().length === 1;
    return twice ? `Round ${id ?? ''} cannot be compared with itself: choose another.` : '';
  });
}

function isRound(text: string): boolean {
  return /^\d{1,9}$/.test(text);
}
