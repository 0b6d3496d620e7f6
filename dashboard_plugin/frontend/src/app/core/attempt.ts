import { signal } from '@angular/core';
import { Refusal, asRefusal } from './refusal';

/** Something done at a click: whether it goes on, and why the newest try was refused. */
export class Attempt {
  readonly running = signal(false);
  readonly refusal = signal<Refusal | null>(null);

  /** Do it; true when it happened. */
  async run(action: () => Promise<unknown>): Promise<boolean> {
    this.running.set(true);
    this.refusal.set(null);
    try {
      await action();
      return true;
    } catch (error) {
      this.refusal.set(asRefusal(error));
      return false;
    } finally {
      this.running.set(false);
    }
  }
}
