import { signal } from '@angular/core';

/** Words of the module in the tab's language, by the English ones; set with the sentences. */
export const wordsOfModule = signal<Readonly<Record<string, string>>>({});

/** Words of the module in the tab's language; as they are where nobody has translated them. */
export function worded(words = ''): string {
  return wordsOfModule()[words] ?? words;
}
