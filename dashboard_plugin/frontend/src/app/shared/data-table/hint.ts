import { signal } from '@angular/core';

/** As wide as the sheet lets it be (table.css). */
const WIDEST = 260;

/** What a column means, below its head: for a pointer and for the keyboard, where `title` is not. */
export class Hint {
  readonly shown = signal<{ text: string; top: number; left: number } | null>(null);

  /** Places are within `box`: a table that scrolls would cut the hint off. */
  constructor(private readonly box: HTMLElement) {}

  show(event: Event, text: string | undefined): void {
    const target = event.target as HTMLElement;
    const head = target.closest('th');
    if (!text || !head) return;
    const [outer, inner] = [this.box.getBoundingClientRect(), head.getBoundingClientRect()];
    const right = Math.max(0, outer.width - WIDEST);
    const left = Math.min(right, Math.max(0, inner.left - outer.left));
    this.shown.set({ text, top: inner.bottom - outer.top + 4, left });
  }

  hide(): void {
    this.shown.set(null);
  }
}
