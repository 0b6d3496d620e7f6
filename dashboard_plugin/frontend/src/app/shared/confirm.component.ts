import {
  ChangeDetectionStrategy,
  Component,
  input,
  output,
  signal,
  viewChild,
} from '@angular/core';
import { Refusal, asRefusal } from '../core/refusal';
import { translator } from '../i18n/i18n';
import { DialogComponent } from './dialog.component';
import { RefusalComponent } from './refusal.component';

/** "Are you sure?" before something that cannot be undone; a refusal shows in place. */
@Component({
  selector: 'pb-confirm',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [DialogComponent, RefusalComponent],
  template: `
    <pb-dialog #dialog [heading]="heading()" (closed)="closed.emit()">
      <p>{{ text() }}</p>
      @if (refusal(); as why) {
        <pb-refusal [refusal]="why" (again)="run()" />
      }
      <div class="pb-actions">
        <button type="button" class="pb-button" (click)="dialog.close()">
          {{ t('common.cancel') }}
        </button>
        <button
          type="button"
          class="pb-button pb-button--danger"
          [disabled]="running()"
          (click)="run()"
        >
          {{ label() }}
        </button>
      </div>
    </pb-dialog>
  `,
})
export class ConfirmComponent {
  readonly heading = input.required<string>();
  readonly text = input.required<string>();
  readonly label = input.required<string>();
  /** What happens on yes; the dialog closes when it has happened. */
  readonly action = input.required<() => Promise<unknown>>();
  readonly closed = output();
  protected readonly t = translator();
  protected readonly running = signal(false);
  protected readonly refusal = signal<Refusal | null>(null);
  private readonly dialog = viewChild.required(DialogComponent);

  protected async run(): Promise<void> {
    this.running.set(true);
    this.refusal.set(null);
    try {
      await this.action()();
      this.dialog().close();
    } catch (error) {
      this.refusal.set(asRefusal(error));
    } finally {
      this.running.set(false);
    }
  }
}
