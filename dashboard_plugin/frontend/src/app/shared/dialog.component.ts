import {
  ChangeDetectionStrategy,
  Component,
  ElementRef,
  OnInit,
  input,
  output,
  viewChild,
} from '@angular/core';
import { translator } from '../i18n/i18n';

let count = 0;

/** A modal dialog of the browser's own: it keeps the focus inside, and gives it back. */
@Component({
  selector: 'pb-dialog',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    <dialog
      #dialog
      class="pb-dialog"
      [attr.aria-labelledby]="id"
      (close)="closed.emit()"
      (cancel)="$event.stopPropagation()"
    >
      <div class="pb-dialog__head">
        <h2 [id]="id">{{ heading() }}</h2>
        <button
          type="button"
          class="pb-button pb-button--icon"
          [attr.aria-label]="t('common.close')"
          (click)="dialog.close()"
        >
          ✕
        </button>
      </div>
      <ng-content />
    </dialog>
  `,
})
export class DialogComponent implements OnInit {
  readonly heading = input.required<string>();
  readonly closed = output();
  protected readonly t = translator();
  protected readonly id = `pb-dialog-${++count}`;
  private readonly dialog = viewChild.required<ElementRef<HTMLDialogElement>>('dialog');

  ngOnInit(): void {
    queueMicrotask(() => {
      const dialog = this.dialog().nativeElement;
      if (dialog.isConnected && !dialog.open) dialog.showModal();
    });
  }

  close(): void {
    this.dialog().nativeElement.close();
  }
}
