import { ChangeDetectionStrategy, Component, computed } from '@angular/core';
import { Finding } from '../../generated/types';
import { ConfirmComponent } from '../shared/confirm.component';
import { TextFieldComponent } from '../shared/text-field.component';
import { FindingDialog } from './finding-dialog';

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
      [disabled]="value().trim() === '' || wrong() !== ''"
      [action]="save"
      (closed)="closed.emit()"
    >
      <p class="pb-quiet">{{ t('ack.text') }}</p>
      <pb-text-field
        name="ack"
        [label]="t('ack.note')"
        [help]="t('ack.help')"
        [value]="value()"
        [wrong]="wrong()"
        (typed)="value.set($event)"
      />
    </pb-confirm>
  `,
})
export class AckDialogComponent extends FindingDialog {
  protected readonly before = computed(() => this.finding().acknowledged?.text ?? '');
  protected readonly wrong = computed(() => {
    const count = this.value().trim().length;
    return count > LONGEST ? this.t('ack.long', { count }) : '';
  });

  protected set(note: string): Promise<Finding> {
    return this.api.acknowledge(this.finding().id, note.trim());
  }
}
