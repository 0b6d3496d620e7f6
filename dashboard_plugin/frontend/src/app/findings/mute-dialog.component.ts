import { Component, inject, signal } from '@angular/core';
import { Finding } from '../../generated/types';
import { Pulse } from '../core/pulse';
import { ConfirmComponent } from '../shared/confirm.component';
import { FindingDialog } from './finding-dialog';

const SPANS = [
  { span: '1h', text: 'an hour' },
  { span: '8h', text: '8 hours' },
  { span: '1d', text: 'a day' },
  { span: '1w', text: 'a week' },
  { span: '30d', text: '30 days' },
] as const;

/** For how long a finding is left out of health. */
@Component({
  selector: 'pb-mute-dialog',
  imports: [ConfirmComponent],
  template: `
    <pb-confirm
      heading="Mute finding {{ finding().id }}?"
      [text]="text()"
      label="Mute it"
      [dangerous]="false"
      [action]="save"
      (closed)="closed.emit()"
    >
      <p class="pb-quiet">
        The finding stays in this list and is left out of the cluster’s health for this time.
      </p>
      <label class="pb-choice" for="pb-mute-span">
        For
        <select
          #choice
          id="pb-mute-span"
          class="pb-field__input"
          (change)="value.set(choice.value)"
        >
          @for (entry of spans; track entry.span) {
            <option [value]="entry.span" [selected]="entry.span === value()">
              {{ entry.text }}
            </option>
          }
        </select>
      </label>
    </pb-confirm>
  `,
})
export class MuteDialogComponent extends FindingDialog {
  readonly #pulse = inject(Pulse);
  protected readonly spans = SPANS;
  protected readonly before = signal('1d').asReadonly();

  protected async set(span: string): Promise<Finding> {
    const muted = await this.api.post('finding/ID/mute', { ID: this.finding().id, for: span });
    this.#pulse.status.refresh();
    return muted;
  }
}
