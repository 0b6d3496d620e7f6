import { Injectable, effect, inject, signal } from '@angular/core';
import { formatLocale, pluralForm, short } from '../core/format';
import { HostSettings } from '../core/host-settings';
import { LANGUAGES } from '../../generated/languages';
import { Saying } from '../findings/said';
import { Catalogue, Key, en } from './en';
import { wordsOfModule } from './worded';

export type Values = Readonly<Record<string, string | number>>;

/** A language: the default export of its file in languages/. */
export interface Translation {
  /** What is missing is shown in English. */
  readonly sentences: Partial<Catalogue>;
  /** Words of the module, by the English ones. */
  readonly words: Readonly<Record<string, string>>;
  /** Sentences of the module about findings, by what they say (findings/said.ts). */
  readonly said: Partial<Readonly<Record<Saying, string>>>;
}

/** Sentences in the host's language; in English where there is no catalogue of it. */
@Injectable({ providedIn: 'root' })
export class I18n {
  readonly #host = inject(HostSettings);
  readonly #catalogue = signal<Catalogue>(en);
  readonly #said = signal<Translation['said']>({});

  constructor() {
    effect(() => void this.#load(this.#host.locale()));
  }

  /** The sentence of `key`; a signal is read, so templates follow the language. */
  t(key: Key, values: Values = {}): string {
    return fill(this.#catalogue()[key], values);
  }

  /** A sentence of the module in the tab's language; null where it has none: English is its own. */
  said(saying: Saying, values: Values): string | null {
    const text = this.#said()[saying];
    return text === undefined ? null : fill(text, values);
  }

  async #load(locale: string): Promise<void> {
    const language = locale.toLowerCase().split(/[-_]/)[0] ?? 'en';
    const found = await LANGUAGES[language]?.().catch(() => undefined);
    this.#catalogue.set({ ...en, ...found?.sentences });
    this.#said.set(found?.said ?? {});
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
 * The text with its {names} filled in; a name without a value stays as it is. Numbers are written as
 * the language does. What is counted follows its number: "{count|OSD|OSDs}" becomes "1 OSD" or
 * "3 OSDs". The forms are in the order of the language's plural categories as `Intl.PluralRules` has
 * them (English and German: one, other; Polish: one, few, many, other); the last stands for the rest.
 */
export function fill(text: string, values: Values): string {
  return text.replaceAll(/\{(\w+)(?:\|([^}]+))?\}/g, (whole, name: string, forms?: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    const written = typeof value === 'number' ? short(value) : value;
    return forms === undefined ? written : `${written} ${pluralForm(forms.split('|'), value)}`;
  });
}

/** For a component: `readonly t = translator();` */
export function translator(): I18n['t'] {
  const i18n = inject(I18n);
  return (key, values) => i18n.t(key, values);
}
