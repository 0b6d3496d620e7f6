import { Injectable } from '@angular/core';

/** More than the pages of a tab ask for; what was used the longest ago goes first. */
const MOST = 32;

/** Newest answers by question: a page that is opened again shows at once what it knew. */
@Injectable({ providedIn: 'root' })
export class Memory {
  readonly #answers = new Map<string, unknown>();

  get(question: string): unknown {
    return this.#answers.get(question) ?? null;
  }

  set(question: string, answer: unknown): void {
    this.#answers.delete(question);
    this.#answers.set(question, answer);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > MOST && oldest !== undefined) this.#answers.delete(oldest);
  }
}
