import { Component, computed } from '@angular/core';
import { Finding } from '../../generated/types';
import { ConfirmComponent } from '../shared/confirm.component';
import { TextFieldComponent } from '../shared/text-field.component';
import { FindingDialog } from './finding-dialog';

/** The module refuses longer ones (model/finding.py). */
const LONGEST = 500;

/** What is known or done about a finding. */
@Component({
  selector: 'pb-ack-dialog',
  imports: [ConfirmComponent, TextFieldComponent],
  template: `
    <pb-confirm
      heading="Acknowledge finding {{ finding().id }}?"
      [text]="text()"
      label="Acknowledge"
      [dangerous]="false"
      [disabled]="value().trim() === '' || wrong() !== ''"
      [action]="save"
      (closed)="closed.emit()"
    >
      <p class="pb-quiet">
        The finding stays open and in the cluster’s health; to leave it out there, mute it.
      </p>
      <pb-text-field
        name="ack"
        label="Note"
        help="What is known or done about it, at most 500 characters; your name is kept with it."
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
    return count > LONGEST ? `The note has ${count} characters, at most 500 are kept.` : '';
  });

  protected set(note: string): Promise<Finding> {
    return this.api.post('finding/ID/ack', { ID: this.finding().id, text: note.trim() });
  }
}
