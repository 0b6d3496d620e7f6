import { Directive, computed, inject, input } from '@angular/core';
import { Finding } from '../../generated/types';
import { I18n } from '../i18n/i18n';
import { ValueDialog } from '../shared/value-dialog';

/** A dialog in which one value of a finding is set. */
@Directive()
export abstract class FindingDialog extends ValueDialog<Finding> {
  readonly finding = input.required<Finding>();
  readonly #i18n = inject(I18n);
  protected readonly text = computed(() => this.#i18n.told(this.finding(), 'message'));
}
