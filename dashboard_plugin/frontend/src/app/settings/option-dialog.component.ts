import {
  ChangeDetectionStrategy,
  Component,
  computed,
  inject,
  input,
  linkedSignal,
  output,
} from '@angular/core';
import { ModuleOption } from '../../generated/types';
import { Api } from '../core/api';
import { translator } from '../i18n/i18n';
import { ConfirmComponent } from '../shared/confirm.component';
import { TextFieldComponent } from '../shared/text-field.component';
import { helpOf, optionText } from './option-words';

/** Another value for an option; the module checks it, and its refusal shows here. */
@Component({
  selector: 'pb-option-dialog',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [ConfirmComponent, TextFieldComponent],
  template: `
    <pb-confirm
      [heading]="t('option.title', { name: option().name })"
      [text]="help()"
      [label]="t('option.do')"
      [dangerous]="false"
      [disabled]="typed() === before()"
      [action]="set"
      (closed)="closed.emit()"
    >
      @if (option().type === 'bool') {
        <label class="pb-check">
          <input
            #box
            type="checkbox"
            [checked]="typed() === 'true'"
            (change)="typed.set(box.checked ? 'true' : 'false')"
          />
          {{ option().name }}
        </label>
      } @else {
        <pb-text-field
          name="option"
          [label]="option().name"
          [help]="bounds()"
          [value]="typed()"
          (typed)="typed.set($event)"
        />
      }
      @if (!option().at_once) {
        <p class="pb-quiet">{{ t('option.later') }}</p>
      }
      <p class="pb-quiet">
        {{ t('option.default', { value: shownDefault() }) }}
        @if (typed() !== given()) {
          <button type="button" class="pb-button pb-button--small" (click)="typed.set(given())">
            {{ t('option.reset') }}
          </button>
        }
      </p>
    </pb-confirm>
  `,
})
export class OptionDialogComponent {
  readonly option = input.required<ModuleOption>();
  readonly changed = output<ModuleOption>();
  readonly closed = output();
  readonly #api = inject(Api);
  protected readonly t = translator();
  protected readonly before = computed(() => String(this.option().value));
  protected readonly given = computed(() => String(this.option().default));
  protected readonly typed = linkedSignal(() => this.before());
  protected readonly help = computed(() => helpOf(this.option(), this.t));
  protected readonly shownDefault = computed(() =>
    optionText(this.option().default, this.option(), this.t),
  );
  protected readonly bounds = computed(() => {
    const { min, max } = this.option();
    return min === null || max === null ? '' : this.t('option.bounds', { min, max });
  });

  /** The default is set by taking the value away, so that a later version's default counts. */
  protected readonly set = async (): Promise<void> => {
    const value = this.typed() === this.given() ? null : this.typed();
    this.changed.emit(await this.#api.setOption(this.option().name, value));
  };
}
