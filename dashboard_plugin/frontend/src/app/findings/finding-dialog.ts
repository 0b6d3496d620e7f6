import { Directive, computed, input } from '@angular/core';
import { Finding } from '../../generated/types';
import { ValueDialog } from '../shared/value-dialog';

/** A dialog in which one value of a finding is set. */
@Directive()
export abstract class FindingDialog extends ValueDialog<Finding> {
  readonly finding = input.required<Finding>();
  protected readonly text = computed(() => this.finding().message);
}
