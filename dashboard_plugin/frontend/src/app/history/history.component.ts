import { ChangeDetectionStrategy, Component, computed, inject } from '@angular/core';
import { Api } from '../core/api';
import { live } from '../core/live';
import { Navigator } from '../core/navigator';
import { withQuery } from '../core/route';
import { translator } from '../i18n/i18n';
import { AnswerComponent } from '../shared/answer.component';
import { ProfileHistoryComponent } from './profile-history.component';

/** A profile's past; which profile's stands in the route. */
@Component({
  selector: 'pb-history',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [AnswerComponent, ProfileHistoryComponent],
  template: `
    <pb-answer [live]="profiles">
      @if (profiles.value(); as list) {
        @if (unknown(); as word) {
          <p class="pb-notice" role="alert">{{ t('history.unknown', { word }) }}</p>
        }
        <p>
          <label class="pb-choice" for="pb-history-profile">
            {{ t('history.profile') }}
            <select
              #choice
              id="pb-history-profile"
              class="pb-field__input"
              (change)="choose(choice.value)"
            >
              @for (entry of list.rows; track entry.name) {
                <option [value]="entry.name" [selected]="entry.name === profile()">
                  {{ entry.name }}
                </option>
              }
            </select>
          </label>
        </p>
        @if (profile(); as name) {
          <pb-profile-history [profile]="name" />
        }
      }
    </pb-answer>
  `,
})
export class HistoryComponent {
  readonly #api = inject(Api);
  readonly #navigator = inject(Navigator);
  protected readonly t = translator();
  protected readonly profiles = live((signal) => this.#api.profiles(signal), {
    remember: () => 'profiles',
  });
  readonly #asked = computed(() => this.#navigator.route().query['profile'] ?? '');
  protected readonly profile = computed(() => {
    const names = this.profiles.value()?.rows.map(({ name }) => name) ?? [];
    return names.find((name) => name === this.#asked()) ?? names[0] ?? '';
  });
  protected readonly unknown = computed(() => {
    const asked = this.#asked();
    return asked && asked !== this.profile() ? asked : '';
  });

  protected choose(profile: string): void {
    this.#navigator.go(withQuery('/history', { profile }));
  }
}
