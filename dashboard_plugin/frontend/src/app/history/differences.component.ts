import { Component, input } from '@angular/core';
import { Difference } from '../../generated/types';
import { fill } from '../shared/fill';

/** What was not the same for two rounds; what stays until somebody changes it is marked. */
@Component({
  selector: 'pb-differences',
  template: `
    @if (differences().length) {
      <ul class="pb-list">
        @for (one of differences(); track one.name) {
          <li>
            {{ one.name }}:
            {{ fill('{was} → {now}', { was: one.was, now: one.now }) }}
            <span class="pb-quiet">({{ one.setup ? 'setup' : 'at that time' }})</span>
          </li>
        }
      </ul>
    } @else {
      <span class="pb-quiet">{{ none() }}</span>
    }
  `,
})
export class DifferencesComponent {
  readonly differences = input.required<readonly Difference[]>();
  /** What to say where there are none. */
  readonly none = input.required<string>();
  protected readonly fill = fill;
}
