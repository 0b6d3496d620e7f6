import { Injectable, effect, inject, signal } from '@angular/core';
import { formatLocale } from '../core/format';
import { HostSettings } from '../core/host-settings';
import { LANGUAGES } from '../../generated/languages';
import { Said, SaidTexts, Sentence } from '../../generated/types';
import { Catalogue, Key, en } from './en';
import { Values, fill } from './fill';
import { wordsOfModule } from './worded';

export { type Values, fill } from './fill';

/** An answer with sentences of the module, and below `said` their codes and values. */
type Telling<K extends string> = Readonly<Record<K, string | readonly string[] | null>> & {
  readonly said?: SaidTexts;
};

/** A language: the default export of its file in languages/. */
export interface Translation {
  /** What is missing is shown in English. */
  readonly sentences: Partial<Catalogue>;
  /** Words of the module, by the English ones. */
  readonly words: Readonly<Record<string, string>>;
  /** Sentences of the module, by their code (schema/sentences.json). */
  readonly said: Partial<Readonly<Record<Sentence, string>>>;
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

  /** The name of a kind of operation; as it comes where it has none. */
  channel(name: string): string {
    const key = `channel.${name}`;
    return key in en ? this.t(key as Key) : name;
  }

  /** The word of a state, such as "Not installed" of an SES device; as it comes where it has none. */
  state(word: string): string {
    const key = `word.${word.toLowerCase().replaceAll(' ', '-')}`;
    return key in en ? this.t(key as Key) : word;
  }

  /** What the module says at `key` of an answer: in the tab's language, or as it comes. */
  told<K extends string>(answer: Telling<K>, key: K): string {
    const said = answer.said?.[key];
    const text = answer[key];
    return said && 'code' in said ? this.say(said) : String(text ?? '');
  }

  /** The same of a list. */
  toldAll<K extends string>(answer: Telling<K>, key: K): readonly string[] {
    const texts: string | readonly string[] | null = answer[key];
    return this.toldTexts([texts ?? []].flat(), answer.said?.[key]);
  }

  /** The same of texts and what stands below `said` for them. */
  toldTexts(texts: readonly string[], said?: SaidTexts[string]): readonly string[] {
    return texts.map((text, at) => {
      const one = Array.isArray(said) ? said[at] : null;
      return one ? this.say(one) : text;
    });
  }

  /** A sentence of the module in the tab's language. */
  say(said: Said): string {
    const text = this.#said()[said.code as Sentence];
    return text === undefined ? said.text : fill(text, said.values as Values, this.#speaker);
  }

  readonly #speaker = {
    say: (said: Said) => this.say(said),
    more: (count: number) => this.t('list.more', { count }),
    channel: (name: string) => this.channel(name),
    state: (word: string) => this.state(word),
  };

  async #load(locale: string): Promise<void> {
    const language = locale.toLowerCase().split(/[-_]/)[0] ?? 'en';
    const found = await LANGUAGES[language]?.().catch(() => undefined);
    // Another may have been chosen since, and be there already.
    if (locale !== this.#host.locale()) return;
    this.#speak(found);
    formatLocale.set((found ?? language === 'en') ? known(locale) : 'en');
  }

  #speak(found: Translation | undefined): void {
    this.#catalogue.set({ ...en, ...found?.sentences });
    this.#said.set(found?.said ?? {});
    wordsOfModule.set(found?.words ?? {});
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

/** For a component: `readonly t = translator();` */
export function translator(): I18n['t'] {
  const i18n = inject(I18n);
  return (key, values) => i18n.t(key, values);
}
