import {
  ChangeDetectionStrategy,
  Component,
  computed,
  inject,
  input,
  linkedSignal,
  output,
} from '@angular/core';
import { Finding } from '../../generated/types';
import { Api } from '../core/api';
import { I18n, translator } from '../i18n/i18n';
import { ConfirmComponent } from '../shared/confirm.component';
import { TextFieldComponent } from '../shared/text-field.component';

/** The module refuses longer ones (model/finding.py). */
const LONGEST = 500;

/** What is known or done about a finding. */
@Component({
  selector: 'pb-ack-dialog',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [ConfirmComponent, TextFieldComponent],
  template: `
    <pb-confirm
      [heading]="t('ack.title', { id: finding().id })"
      [text]="text()"
      [label]="t('ack.do')"
      [dangerous]="false"
      [disabled]="note().trim() === '' || wrong() !== ''"
      [action]="acknowledge"
      (closed)="closed.emit()"
    >
      <p class="pb-quiet">{{ t('ack.text') }}</p>
      <pb-text-field
        name="ack"
        [label]="t('ack.note')"
        [help]="t('ack.help')"
        [value]="note()"
        [wrong]="wrong()"
        (typed)="note.set($event)"
      />
    </pb-confirm>
  `,
})
export class AckDialogComponent {
  readonly finding = input.required<Finding>();
  /** It is acknowledged, and this is how it looks now. */
  readonly acknowledged = output<Finding>();
  readonly closed = output();
  readonly #api = inject(Api);
  readonly #i18n = inject(I18n);
  protected readonly t = translator();
  protected readonly text = computed(() => this.#i18n.told(this.finding(), 'message'));
  protected readonly note = linkedSignal(() => this.finding().acknowledged?.text ?? '');
  protected readonly wrong = computed(() => {
    const count = this.note().trim().length;
    return count > LONGEST ? this.t('ack.long', { count }) : '';
  });

  protected readonly acknowledge = async (): Promise<void> => {
    this.acknowledged.emit(await this.#api.acknowledge(this.finding().id, this.note().trim()));
  };
}
