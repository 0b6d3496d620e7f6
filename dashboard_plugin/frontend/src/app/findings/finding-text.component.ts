import { ChangeDetectionStrategy, Component, computed, inject, input } from '@angular/core';
import { Finding } from '../../generated/types';
import { I18n } from '../i18n/i18n';

/** What a finding says, in the tab's language where that has the sentence. */
@Component({
  selector: 'pb-finding-text',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `{{ text() }}`,
})
export class FindingTextComponent {
  readonly finding = input.required<Finding>();
  readonly #i18n = inject(I18n);
  protected readonly text = computed(() => this.#i18n.told(this.finding(), 'message'));
}
