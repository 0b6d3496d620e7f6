import { DestroyRef, Signal, effect, inject, signal, untracked } from '@angular/core';
import { Memory } from './memory';
import { Refusal, asRefusal } from './refusal';

/** Asks, and asks again: an answer that keeps itself current while somebody can see it. */
export interface Live<T> {
  /** The newest answer; one that says the same keeps its identity, so nothing is drawn anew. */
  readonly value: Signal<T | null>;
  /** Why the newest question got no answer; `value` then still holds the answer before. */
  readonly refusal: Signal<Refusal | null>;
  readonly asking: Signal<boolean>;
  /** Ask now. */
  refresh(): void;
}

export interface LiveOptions {
  /** Milliseconds between questions; null: once. Read again after each answer. */
  readonly every?: () => number | null;
  /** Show the answer before until another question's answer is there. */
  readonly keep?: boolean;
  /** The question's name: its newest answer is shown at once when it is asked again later. */
  readonly remember?: () => string;
}

/** No question is put off longer than this after failures. */
export const LONGEST_PAUSE_MS = 60_000;

/** The pause after `failures` questions in a row without an answer. */
export function backOff(every: number, failures: number): number {
  return Math.min(LONGEST_PAUSE_MS, every * 2 ** Math.min(failures, 10));
}

/**
 * Keep the answer to `ask` current. The signals that `ask` reads make another question: then the
 * answer before is forgotten. For an injection context: it ends with the component.
 */
export function live<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  options: LiveOptions = {},
): Live<T> {
  const asker = new Asker(ask, options, options.remember ? inject(Memory) : null);
  effect(() => asker.begin());
  inject(DestroyRef).onDestroy(() => asker.end());
  return asker;
}

class Asker<T> implements Live<T> {
  readonly value = signal<T | null>(null);
  readonly refusal = signal<Refusal | null>(null);
  readonly asking = signal(false);
  #failures = 0;
  #waiting: ReturnType<typeof setTimeout> | undefined;
  #running: AbortController | null = null;
  #ended = false;
  readonly #seen = (): void => {
    if (!document.hidden && this.#running === null) this.refresh();
  };

  constructor(
    private readonly ask: (signal: AbortSignal) => Promise<T>,
    private readonly options: LiveOptions,
    private readonly memory: Memory | null,
  ) {
    document.addEventListener('visibilitychange', this.#seen);
  }

  begin(): void {
    const asked = this.#ask();
    const known = untracked(() => this.memory?.get(this.options.remember?.() ?? '') ?? null);
    this.#failures = 0;
    if (!this.options.keep || known !== null) {
      this.value.set(known as T | null);
      this.refusal.set(null);
    }
    void asked;
  }

  refresh(): void {
    untracked(() => void this.#ask());
  }

  end(): void {
    this.#ended = true;
    this.#running?.abort();
    clearTimeout(this.#waiting);
    document.removeEventListener('visibilitychange', this.#seen);
  }

  async #ask(): Promise<void> {
    // Whoever waited for something of their own may still want it newer after the page has gone.
    if (this.#ended) return;
    clearTimeout(this.#waiting);
    this.#running?.abort();
    const mine = (this.#running = new AbortController());
    untracked(() => this.asking.set(true));
    try {
      const answer = this.ask(mine.signal);
      // Of this question: by the time the answer is there another one may be on its way.
      const name = untracked(() => this.options.remember?.());
      const value = await answer;
      if (!mine.signal.aborted) this.#answered(value, name);
    } catch (error) {
      if (!mine.signal.aborted) this.#refused(asRefusal(error));
    }
    if (mine.signal.aborted) return;
    this.#running = null;
    this.asking.set(false);
    this.#wait();
  }

  #answered(value: T, name: string | undefined): void {
    this.#failures = 0;
    this.refusal.set(null);
    // Also against what was remembered: a page that is opened again is drawn once.
    const before = untracked(this.value);
    const same = before !== null && JSON.stringify(value) === JSON.stringify(before);
    const kept = same ? before : value;
    this.value.set(kept);
    if (name !== undefined) this.memory?.set(name, kept);
  }

  #refused(refusal: Refusal): void {
    this.#failures += 1;
    this.refusal.set(refusal);
  }

  #wait(): void {
    const every = this.options.every?.() ?? null;
    const again = every ?? (this.refusal()?.passing ? 5_000 : null);
    if (again === null || document.hidden) return;
    this.#waiting = setTimeout(() => this.refresh(), backOff(again, this.#failures));
  }
}
