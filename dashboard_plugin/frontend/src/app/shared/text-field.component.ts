import { Component, input, output } from '@angular/core';

/** A line to type in, with what belongs there below it, or what is wrong with it. */
@Component({
  selector: 'pb-text-field',
  template: `
    <div class="pb-field">
      <label [for]="'pb-' + name()">{{ label() }}</label>
      <input
        #entry
        class="pb-field__input"
        autocomplete="off"
        spellcheck="false"
        [id]="'pb-' + name()"
        [value]="value()"
        [attr.aria-invalid]="wrong() ? 'true' : null"
        [attr.aria-describedby]="'pb-help-' + name()"
        (input)="typed.emit(entry.value)"
      />
      <small [id]="'pb-help-' + name()">
        @if (wrong()) {
          <span class="pb-field__wrong" role="alert">{{ wrong() }}</span>
        } @else {
          {{ help() }}
        }
      </small>
    </div>
  `,
})
export class TextFieldComponent {
  /** Unlike that of any other field that shows. */
  readonly name = input.required<string>();
  readonly label = input.required<string>();
  readonly help = input.required<string>();
  readonly value = input.required<string>();
  /** A sentence; empty when nothing is wrong. */
  readonly wrong = input('');
  readonly typed = output<string>();
}
