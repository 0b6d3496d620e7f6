import { Component, computed, input } from '@angular/core';
import { ModuleOption } from '../../generated/types';
import { ConfirmComponent } from '../shared/confirm.component';
import { TextFieldComponent } from '../shared/text-field.component';
import { ValueDialog } from '../shared/value-dialog';
import { helpOf, optionText } from './option-words';

/** Another value for an option; the module checks it, and its refusal shows here. */
@Component({
  selector: 'pb-option-dialog',
  imports: [ConfirmComponent, TextFieldComponent],
  template: `
    <pb-confirm
      heading="Change {{ option().name }}"
      [text]="help()"
      label="Set the value"
      [dangerous]="false"
      [disabled]="value() === before()"
      [action]="save"
      (closed)="closed.emit()"
    >
      @if (option().type === 'bool') {
        <label class="pb-check">
          <input
            #box
            type="checkbox"
            [checked]="value() === 'true'"
            (change)="value.set(box.checked ? 'true' : 'false')"
          />
          {{ option().name }}
        </label>
      } @else {
        <pb-text-field
          name="option"
          [label]="option().name"
          [help]="bounds()"
          [value]="value()"
          (typed)="value.set($event)"
        />
      }
      @if (!option().at_once) {
        <p class="pb-quiet">Takes effect when a manager becomes active, as by “ceph mgr fail”.</p>
      }
      <p class="pb-quiet">
        Default: {{ shownDefault() }}
        @if (value() !== given()) {
          <button type="button" class="pb-button pb-button--small" (click)="value.set(given())">
            Use the default
          </button>
        }
      </p>
    </pb-confirm>
  `,
})
export class OptionDialogComponent extends ValueDialog<ModuleOption> {
  readonly option = input.required<ModuleOption>();
  protected readonly before = computed(() => String(this.option().value));
  protected readonly given = computed(() => String(this.option().default));
  protected readonly help = computed(() => helpOf(this.option()));
  protected readonly shownDefault = computed(() =>
    optionText(this.option().default, this.option()),
  );
  protected readonly bounds = computed(() => {
    const { min, max } = this.option();
    return min === null || max === null ? '' : `From ${min} to ${max}.`;
  });

  /** The default is set by taking the value away, so that a later version's default counts. */
  protected set(value: string): Promise<ModuleOption> {
    return this.api.post('option/NAME/value', {
      NAME: this.option().name,
      ...(value === this.given() ? {} : { value }),
    });
  }
}
