import {
  ChangeDetectionStrategy,
  Component,
  inject,
  input,
  output,
  signal,
  viewChild,
} from '@angular/core';
import { Finding } from '../../generated/types';
import { Api } from '../core/api';
import { Pulse } from '../core/pulse';
import { Refusal, asRefusal } from '../core/refusal';
import { translator } from '../i18n/i18n';
import { DialogComponent } from '../shared/dialog.component';
import { RefusalComponent } from '../shared/refusal.component';

const SPANS = ['1h', '8h', '1d', '1w', '30d'] as const;

/** For how long a finding is left out of health; a refusal shows in place. */
@Component({
  selector: 'pb-mute-dialog',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [DialogComponent, RefusalComponent],
  template: `
    <pb-dialog #dialog [heading]="t('mute.title', { id: finding().id })" (closed)="closed.emit()">
      <p>{{ finding().message }}</p>
      <p class="pb-quiet">{{ t('mute.text') }}</p>
      <label class="pb-choice" for="pb-mute-span">
        {{ t('mute.for') }}
        <select #choice id="pb-mute-span" class="pb-field__input" (change)="span.set(choice.value)">
          @for (entry of spans; track entry) {
            <option [value]="entry" [selected]="entry === span()">{{ word(entry) }}</option>
          }
        </select>
      </label>
      @if (refusal(); as why) {
        <pb-refusal [refusal]="why" (again)="run()" />
      }
      <div class="pb-actions">
        <button type="button" class="pb-button" (click)="dialog.close()">
          {{ t('common.cancel') }}
        </button>
        <button
          type="button"
          class="pb-button pb-button--main"
          [disabled]="running()"
          (click)="run()"
        >
          {{ t('mute.do') }}
        </button>
      </div>
    </pb-dialog>
  `,
})
export class MuteDialogComponent {
  readonly finding = input.required<Finding>();
  /** It is muted, and this is how it looks now. */
  readonly muted = output<Finding>();
  readonly closed = output();
  readonly #api = inject(Api);
  readonly #pulse = inject(Pulse);
  protected readonly t = translator();
  protected readonly spans = SPANS;
  protected readonly span = signal<string>('1d');
  protected readonly running = signal(false);
  protected readonly refusal = signal<Refusal | null>(null);
  private readonly dialog = viewChild.required(DialogComponent);

  protected word(span: (typeof SPANS)[number]): string {
    return this.t(`mute.${span}`);
  }

  protected async run(): Promise<void> {
    this.running.set(true);
    this.refusal.set(null);
    try {
      this.muted.emit(await this.#api.mute(this.finding().id, this.span()));
      this.#pulse.status.refresh();
      this.dialog().close();
    } catch (error) {
      this.refusal.set(asRefusal(error));
    } finally {
      this.running.set(false);
    }
  }
}
