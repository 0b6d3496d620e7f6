import { Component, input, output } from '@angular/core';
import { Plan } from '../../generated/types';

/** Whether a round may start now: every reason against it, and force only where force helps. */
@Component({
  selector: 'pb-admission',
  template: `
    @if (admission().allowed) {
      <p class="pb-good"><span aria-hidden="true">✓</span> It can start now.</p>
    } @else {
      <div class="pb-notice pb-notice--bad">
        <p>It cannot start now:</p>
        <ul class="pb-list">
          @for (reason of admission().refusals; track $index) {
            <li>
              {{ reason.message }}
              @if (!reason.forceable) {
                <strong>(cannot be overridden)</strong>
              }
            </li>
          }
        </ul>
        @if (admission().forceable) {
          <label class="pb-check">
            <input
              #box
              type="checkbox"
              aria-describedby="pb-force-warning"
              [checked]="force()"
              (change)="forced.emit(box.checked)"
            />
            Start it anyway
          </label>
          <p id="pb-force-warning" class="pb-warning">
            <span aria-hidden="true">⚠</span> The round may slow down or harm the cluster, and its
            figures may mean nothing. The reasons against it are stored with the round.
          </p>
        } @else {
          <p>It cannot be forced: first fix what cannot be overridden.</p>
        }
      </div>
    }
    @if (admission().unknown.length) {
      <p class="pb-quiet">Not checked, because the values are not known:</p>
      <ul class="pb-list pb-quiet">
        @for (unknown of admission().unknown; track $index) {
          <li>{{ unknown.message }}</li>
        }
      </ul>
    }
  `,
})
export class AdmissionComponent {
  readonly admission = input.required<Plan['admission']>();
  readonly force = input.required<boolean>();
  readonly forced = output<boolean>();
}
