import { Component, ElementRef, OnInit, input, output, viewChild } from '@angular/core';

let count = 0;

/** A modal dialog of the browser's own: it keeps the focus inside, and gives it back. */
@Component({
  selector: 'pb-dialog',
  template: `
    <dialog
      #dialog
      class="pb-dialog"
      [attr.aria-labelledby]="id"
      (close)="end()"
      (cancel)="cancel($event)"
    >
      <div class="pb-dialog__head">
        <h2 [id]="id">{{ heading() }}</h2>
        <button
          type="button"
          class="pb-button pb-button--icon"
          aria-label="Close"
          [disabled]="busy()"
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
  /** What was asked for is under way: it stays open, so that a refusal is seen. */
  readonly busy = input(false);
  readonly closed = output();
  protected readonly id = `pb-dialog-${++count}`;
  #done = false;
  private readonly dialog = viewChild.required<ElementRef<HTMLDialogElement>>('dialog');

  ngOnInit(): void {
    queueMicrotask(() => {
      const dialog = this.dialog().nativeElement;
      if (dialog.isConnected && !dialog.open) dialog.showModal();
    });
  }

  /** Also while it is busy: what was asked for is done. */
  close(): void {
    this.#done = true;
    this.dialog().nativeElement.close();
  }

  protected cancel(event: Event): void {
    event.stopPropagation();
    if (this.busy()) event.preventDefault();
  }

  protected end(): void {
    // A browser closes it at a second Escape, whatever the first one was told.
    if (this.busy() && !this.#done) this.dialog().nativeElement.showModal();
    else this.closed.emit();
    this.#done = false;
  }
}
