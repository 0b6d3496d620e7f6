import { ChangeDetectionStrategy, Component, inject, input, output, signal } from '@angular/core';
import { Api } from '../core/api';
import { translator } from '../i18n/i18n';
import { ConfirmComponent } from '../shared/confirm.component';

/** Makes a round what later ones are held against, after a second thought. */
@Component({
  selector: 'pb-set-baseline',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [ConfirmComponent],
  template: `
    <button type="button" class="pb-button pb-button--small" (click)="asked.set(true)">
      {{ t('baseline.set') }}
    </button>
    @if (asked()) {
      <pb-confirm
        [heading]="t('baseline.title', { id: round() })"
        [text]="t('baseline.text', { profile: profile() })"
        [label]="t('baseline.do')"
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
  protected readonly t = translator();
  protected readonly asked = signal(false);

  protected readonly set = async (): Promise<void> => {
    await this.#api.setBaseline(this.round());
    this.done.emit();
  };
}
