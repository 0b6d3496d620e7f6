import { Component, input, output, viewChild } from '@angular/core';
import { Attempt } from '../core/attempt';
import { DialogComponent } from './dialog.component';
import { RefusalComponent } from './refusal.component';

/** "Are you sure?", with what there is to choose inside it; a refusal shows in place. */
@Component({
  selector: 'pb-confirm',
  imports: [DialogComponent, RefusalComponent],
  template: `
    <pb-dialog #dialog [heading]="heading()" [busy]="attempt.running()" (closed)="closed.emit()">
      <p>{{ text() }}</p>
      <ng-content />
      @if (attempt.refusal(); as why) {
        <pb-refusal [refusal]="why" (again)="run()" />
      }
      <div class="pb-actions">
        <button
          type="button"
          class="pb-button"
          [disabled]="attempt.running()"
          (click)="dialog.close()"
        >
          Cancel
        </button>
        <button
          type="button"
          class="pb-button"
          [class.pb-button--danger]="dangerous()"
          [class.pb-button--main]="!dangerous()"
          [disabled]="disabled() || attempt.running()"
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
  /** It cannot be undone. */
  readonly dangerous = input(true);
  /** What is needed for a yes is not there yet. */
  readonly disabled = input(false);
  /** What happens on yes; the dialog closes when it has happened. */
  readonly action = input.required<() => Promise<unknown>>();
  readonly closed = output();
  protected readonly attempt = new Attempt();
  private readonly dialog = viewChild.required(DialogComponent);

  protected async run(): Promise<void> {
    if (await this.attempt.run(this.action())) this.dialog().close();
  }
}
