import { Component, ElementRef, input, signal, viewChild, inject } from '@angular/core';

const TOLD_MS = 2_000;

/** A command to type, with a button that copies it. */
@Component({
  selector: 'pb-command',
  host: { class: 'pb-command' },
  template: `
    <code #code tabindex="0">{{ text() }}</code>
    <button
      type="button"
      class="pb-button pb-button--small"
      attr.aria-label="Copy {{ text() }}"
      (click)="copy()"
    >
      {{ copied() ? 'Copied' : 'Copy' }}
    </button>
    <span class="pb-hidden" role="status">{{ copied() ? 'Copied' : '' }}</span>
  `,
})
export class CommandComponent {
  readonly text = input.required<string>();
  protected readonly copied = signal(false);
  private readonly code = viewChild.required<ElementRef<HTMLElement>>('code');
  readonly #own = inject<ElementRef<HTMLElement>>(ElementRef).nativeElement;

  protected async copy(): Promise<void> {
    if (!((await written(this.text())) || this.#copiedByHand())) {
      // What is focused can be marked and copied with the keyboard.
      this.code().nativeElement.focus();
      return;
    }
    this.copied.set(true);
    setTimeout(() => this.copied.set(false), TOLD_MS);
  }

  /** The way of old, for dashboards without TLS, where browsers keep the clipboard to themselves. */
  #copiedByHand(): boolean {
    const field = document.createElement('textarea');
    field.value = this.text();
    field.className = 'pb-hidden';
    this.#own.append(field);
    field.select();
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    const done = document.execCommand('copy');
    field.remove();
    return done;
  }
}

async function written(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // not allowed, or not there
  }
}
