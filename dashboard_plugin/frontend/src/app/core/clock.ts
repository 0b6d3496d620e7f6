import { DestroyRef, Injectable, inject, signal } from '@angular/core';

/** Ages are told in minutes and more. */
const STEP_MS = 30_000;

/** The time of day for what tells an age: it moves on while a page stays open. */
@Injectable({ providedIn: 'root' })
export class Clock {
  readonly #now = signal(Date.now());
  readonly now = this.#now.asReadonly();

  constructor() {
    const timer = setInterval(() => this.#now.set(Date.now()), STEP_MS);
    inject(DestroyRef).onDestroy(() => clearInterval(timer));
  }
}
