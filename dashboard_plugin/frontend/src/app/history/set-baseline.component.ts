import { Component, inject, input, output, signal } from '@angular/core';
import { Api } from '../core/api';
import { ConfirmComponent } from '../shared/confirm.component';

/** Makes a round what later ones are held against, after a second thought. */
@Component({
  selector: 'pb-set-baseline',
  imports: [ConfirmComponent],
  template: `
    <button type="button" class="pb-button pb-button--small" (click)="asked.set(true)">
      Make it the baseline…
    </button>
    @if (asked()) {
      <pb-confirm
        heading="Make round {{ round() }} the baseline?"
        text="Later rounds of {{
          profile()
        }} are compared with it. It replaces the baseline before, if there is one."
        label="Make it the baseline"
        [dangerous]="false"
        [action]="set"
        (closed)="asked.set(false)"
      />
    }
  `,
})
export class SetBaselineComponent {
  readonly round = input.required<number>();
  readonly profile = input.required<string>();
  readonly done = output();
  readonly #api = inject(Api);
  protected readonly asked = signal(false);

  protected readonly set = async (): Promise<void> => {
    await this.#api.post('baseline', { id: this.round() });
    this.done.emit();
  };
}
