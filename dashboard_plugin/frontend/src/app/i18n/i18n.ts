import { Injectable, effect, inject, signal } from '@angular/core';
import { formatLocale } from '../core/format';
import { HostSettings } from '../core/host-settings';
import { Catalogue, Key, en } from './en';
import { wordsOfModule } from './worded';

export type Values = Readonly<Record<string, string | number>>;

/** Other languages, by language code: one line each, loaded only when asked for. */
const CATALOGUES: Readonly<Record<string, () => Promise<Translation>>> = {
  de: async () => {
    const { de, deEvidence } = await import('./de');
    return { sentences: de, words: deEvidence };
  },
};

interface Translation {
  readonly sentences: Catalogue;
  /** Words of the module, by the English ones. */
  readonly words: Readonly<Record<string, string>>;
}

/** Sentences in the host's language; in English where there is no catalogue of it. */
@Injectable({ providedIn: 'root' })
export class I18n {
  readonly #host = inject(HostSettings);
  readonly #catalogue = signal<Catalogue>(en);

  constructor() {
    effect(() => void this.#load(this.#host.locale()));
  }

  /** The sentence of `key`; a signal is read, so templates follow the language. */
  t(key: Key, values: Values = {}): string {
    return fill(this.#catalogue()[key], values);
  }

  async #load(locale: string): Promise<void> {
    const language = locale.toLowerCase().split(/[-_]/)[0] ?? 'en';
    const found = await CATALOGUES[language]?.().catch(() => undefined);
    this.#catalogue.set(found?.sentences ?? en);
    wordsOfModule.set(found?.words ?? {});
    formatLocale.set((found ?? language === 'en') ? known(locale) : 'en');
  }
}

/** As "de-DE", where a browser understands it. */
function known(locale: string): string {
  try {
    return Intl.getCanonicalLocales(locale.replace('_', '-'))[0] ?? 'en';
  } catch {
    return 'en';
  }
}

/**
 * The text with its {names} filled in; a name without a value stays as it is. What is counted
 * follows its number: "{count|OSD|OSDs}" becomes "1 OSD" or "3 OSDs".
 */
export function fill(text: string, values: Values): string {
  return text.replaceAll(
    /\{(\w+)(?:\|([^|}]+)\|([^}]+))?\}/g,
    (whole, name: string, one?: string, many?: string) => {
      const value = values[name];
      if (value === undefined) return whole;
      const noun = String(value) === '1' ? one : many;
      return noun === undefined ? String(value) : `${value} ${noun}`;
    },
  );
}

/** For a component: `readonly t = translator();` */
export function translator(): I18n['t'] {
  const i18n = inject(I18n);
  return (key, values) => i18n.t(key, values);
}
