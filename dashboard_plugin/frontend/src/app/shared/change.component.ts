import { ChangeDetectionStrategy, Component, computed, input } from '@angular/core';
import { Change } from '../../generated/types';
import { translator } from '../i18n/i18n';

export const CHANGE_SIGNS: Readonly<Record<Change, string>> = {
  better: '▲',
  worse: '▼',
  same: '●',
  inconclusive: '○',
  'not-comparable': '✕',
};

/** What became of a figure: a sign, a word, and only then a colour. */
@Component({
  selector: 'pb-change',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `<span class="pb-badge pb-badge--{{ verdict() }}"
    ><span aria-hidden="true">{{ sign() }}</span> {{ text() }}</span
  >`,
})
export class ChangeComponent {
  readonly verdict = input.required<Change>();
  readonly #t = translator();
  protected readonly sign = computed(() => CHANGE_SIGNS[this.verdict()]);
  protected readonly text = computed(() => this.#t(`change.${this.verdict()}`));
}
