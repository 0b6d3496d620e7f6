import { Component, computed, inject } from '@angular/core';
import { Api } from '../core/api';
import { live } from '../core/live';
import { Navigator } from '../core/navigator';
import { withQuery } from '../core/route';
import { AnswerComponent } from '../shared/answer.component';
import { CompareComponent } from './compare.component';
import { ProfileHistoryComponent } from './profile-history.component';

/** Rounds among which the newest one that is done is looked for. */
const NEWEST = 10;

/** The profiles, and that of the newest round, if any: another's history may be empty. */
interface Known {
  readonly names: readonly string[];
  readonly newest: string;
}

/** A profile's past, or two rounds side by side: which ones stands in the route. */
@Component({
  selector: 'pb-history',
  imports: [AnswerComponent, CompareComponent, ProfileHistoryComponent],
  template: `
    @if (comparing()) {
      <pb-compare />
    } @else {
      <pb-answer [live]="known">
        @if (known.value(); as list) {
          @if (unknown(); as word) {
            <p class="pb-notice" role="alert">
              The address asks for “{{ word }}”, but there is no such profile.
            </p>
          }
          <p>
            <label class="pb-choice" for="pb-history-profile">
              Profile
              <select
                #choice
                id="pb-history-profile"
                class="pb-field__input"
                (change)="choose(choice.value)"
              >
                @for (name of list.names; track name) {
                  <option [value]="name" [selected]="name === profile()">{{ name }}</option>
                }
              </select>
            </label>
          </p>
          @if (profile(); as name) {
            <pb-profile-history [profile]="name" />
          }
        }
      </pb-answer>
    }
  `,
})
export class HistoryComponent {
  readonly #api = inject(Api);
  readonly #navigator = inject(Navigator);
  protected readonly known = live((signal) => this.#ask(signal), {
    remember: () => 'history',
  });
  protected readonly comparing = computed(() => {
    const { a, b } = this.#navigator.route().query;
    return a !== undefined || b !== undefined;
  });
  readonly #asked = computed(() => this.#navigator.route().query['profile'] ?? '');
  protected readonly profile = computed(() => {
    const { names = [], newest = '' } = this.known.value() ?? {};
    const asked = names.find((name) => name === this.#asked());
    return asked ?? (newest || (names[0] ?? ''));
  });
  protected readonly unknown = computed(() => {
    const asked = this.#asked();
    return asked && asked !== this.profile() ? asked : '';
  });

  protected choose(profile: string): void {
    this.#navigator.go(withQuery('/history', { profile }));
  }

  async #ask(signal: AbortSignal): Promise<Known> {
    const [profiles, rounds] = await Promise.all([
      this.#api.page('profile', {}, signal),
      this.#api.page('round', { limit: NEWEST }, signal),
    ]);
    const names = profiles.rows.map(({ name }) => name);
    // What was imported has the name of its tool, which is no profile.
    const newest = rounds.rows.find(
      ({ state, profile }) => state === 'done' && names.includes(profile),
    );
    return { names, newest: newest?.profile ?? '' };
  }
}
