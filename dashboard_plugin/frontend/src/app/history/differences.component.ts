import { Component, input } from '@angular/core';
import { Difference } from '../../generated/types';

/** What was not the same for two rounds; what stays until somebody changes it is marked. */
@Component({
  selector: 'pb-differences',
  template: `
    @if (differences().length) {
      <ul class="pb-list">
        @for (one of differences(); track one.name) {
          <li>
            {{ one.name }}: {{ one.was }} → {{ one.now }}
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
}
