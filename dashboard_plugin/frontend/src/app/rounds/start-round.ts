import { Injectable, signal } from '@angular/core';

/** Opens the start dialog from wherever a round may be started. */
@Injectable({ providedIn: 'root' })
export class StartRound {
  readonly shown = signal(false);

  open(): void {
    this.shown.set(true);
  }

  close(): void {
    this.shown.set(false);
  }
}
