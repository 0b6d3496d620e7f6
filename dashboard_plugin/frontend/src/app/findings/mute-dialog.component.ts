import {
  computed,
  ChangeDetectionStrategy,
  Component,
  inject,
  input,
  output,
  signal,
} from '@angular/core';
import { Finding } from '../../generated/types';
import { Api } from '../core/api';
import { Pulse } from '../core/pulse';
import { I18n, translator } from '../i18n/i18n';
import { ConfirmComponent } from '../shared/confirm.component';

const SPANS = ['1h', '8h', '1d', '1w', '30d'] as const;

/** For how long a finding is left out of health. */
@Component({
  selector: 'pb-mute-dialog',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [ConfirmComponent],
  template: `
    <pb-confirm
      [heading]="t('mute.title', { id: finding().id })"
      [text]="text()"
      [label]="t('mute.do')"
      [dangerous]="false"
      [action]="mute"
      (closed)="closed.emit()"
    >
      <p class="pb-quiet">{{ t('mute.text') }}</p>
      <label class="pb-choice" for="pb-mute-span">
        {{ t('mute.for') }}
        <select #choice id="pb-mute-span" class="pb-field__input" (change)="span.set(choice.value)">
          @for (entry of spans; track entry) {
            <option [value]="entry" [selected]="entry === span()">{{ word(entry) }}</option>
          }
        </select>
      </label>
    </pb-confirm>
  `,
})
export class MuteDialogComponent {
  readonly finding = input.required<Finding>();
  /** It is muted, and this is how it looks now. */
  readonly muted = output<Finding>();
  readonly closed = output();
  readonly #api = inject(Api);
  readonly #pulse = inject(Pulse);
  readonly #i18n = inject(I18n);
  protected readonly t = translator();
  protected readonly text = computed(() => this.#i18n.told(this.finding(), 'message'));
  protected readonly spans = SPANS;
  protected readonly span = signal<string>('1d');

  protected readonly mute = async (): Promise<void> => {
    this.muted.emit(await this.#api.mute(this.finding().id, this.span()));
    this.#pulse.status.refresh();
  };

  protected word(span: (typeof SPANS)[number]): string {
    return this.t(`mute.${span}`);
  }
}
