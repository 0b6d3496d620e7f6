import { ChangeDetectionStrategy, Component, computed, input } from '@angular/core';
import { Finding } from '../../generated/types';

/** What a finding says, in the tab's language where that has the sentence. */
@Component({
  selector: 'pb-finding-text',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `{{ text() }}`,
})
export class FindingTextComponent {
  readonly finding = input.required<Finding>();
  protected readonly text = computed(() => this.finding().message);
}
