import { ChangeDetectionStrategy, Component, input, output } from '@angular/core';
import { Plan } from '../../generated/types';
import { translator } from '../i18n/i18n';

/** Whether a round may start now: every reason against it, and force only where force helps. */
@Component({
  selector: 'pb-admission',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    @if (admission().allowed) {
      <p class="pb-good"><span aria-hidden="true">✓</span> {{ t('admission.allowed') }}</p>
    } @else {
      <div class="pb-notice pb-notice--bad">
        <p>{{ t('admission.refused') }}</p>
        <ul class="pb-list">
          @for (reason of admission().refusals; track $index) {
            <li>
              {{ reason.message }}
              @if (!reason.forceable) {
                <strong>{{ t('admission.never') }}</strong>
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
            {{ t('admission.force') }}
          </label>
          <p id="pb-force-warning" class="pb-warning">
            <span aria-hidden="true">⚠</span> {{ t('admission.force.warning') }}
          </p>
        } @else {
          <p>{{ t('admission.no-force') }}</p>
        }
      </div>
    }
    @if (admission().unknown.length) {
      <p class="pb-quiet">{{ t('admission.unknown') }}</p>
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
  protected readonly t = translator();
}
