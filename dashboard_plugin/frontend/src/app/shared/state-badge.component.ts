import { ChangeDetectionStrategy, Component, computed, input } from '@angular/core';
import { Key, en } from '../i18n/en';
import { I18n, translator } from '../i18n/i18n';

export type Look = 'valid' | 'noisy' | 'failed' | 'none';

/** Words for how things are; how bad each is, and a sign for who sees no colours. */
const LOOKS: Readonly<Record<string, readonly [sign: string, look: Look]>> = {
  ok: ['✓', 'valid'],
  OK: ['✓', 'valid'],
  active: ['✓', 'valid'],
  ready: ['✓', 'valid'],
  busy: ['▶', 'valid'],
  out: ['–', 'none'],
  'no-data': ['–', 'none'],
  unmeasured: ['–', 'none'],
  unused: ['–', 'none'],
  unknown: ['?', 'none'],
  'not installed': ['–', 'none'],
  suspect: ['○', 'noisy'],
  degraded: ['!', 'noisy'],
  flapping: ['↕', 'noisy'],
  bare: ['!', 'noisy'],
  far: ['!', 'noisy'],
  unlikely: ['?', 'noisy'],
  noncritical: ['!', 'noisy'],
  slow: ['▼', 'failed'],
  down: ['✕', 'failed'],
  fault: ['✕', 'failed'],
  failed: ['✕', 'failed'],
  implausible: ['✕', 'failed'],
  critical: ['✕', 'failed'],
  lost: ['✕', 'failed'],
  duplicate: ['✕', 'failed'],
  mismatched: ['✕', 'failed'],
  unrecoverable: ['✕', 'failed'],
};

const BADNESS: readonly Look[] = ['none', 'valid', 'noisy', 'failed'];

export function badness(look: Look): number {
  return BADNESS.indexOf(look);
}

export function signOf(word: string): string {
  return LOOKS[word]?.[0] ?? '';
}

export function lookOf(word: string): Look {
  return LOOKS[word]?.[1] ?? 'none';
}

/** The word that is worst; the first of those alike. */
export function worstOf(words: readonly string[]): string | null {
  const rank = (word: string): number => badness(lookOf(word));
  return words.reduce<string | null>(
    (worst, word) => (worst === null || rank(word) > rank(worst) ? word : worst),
    null,
  );
}

/** The word as this language has it; one that nobody translated stands for itself. */
export function stateText(word: string, t: I18n['t']): string {
  const key = `state-word.${word.toLowerCase().replaceAll(' ', '-')}`;
  return key in en ? t(key as Key) : word;
}

/** How something is: a sign, a word, and only then a colour. */
@Component({
  selector: 'pb-state',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `<span class="pb-badge pb-badge--{{ look() }}"
    ><span aria-hidden="true">{{ sign() }}</span> {{ text() }}</span
  >`,
})
export class StateBadgeComponent {
  readonly word = input.required<string>();
  readonly #t = translator();
  protected readonly sign = computed(() => signOf(this.word()));
  protected readonly look = computed(() => lookOf(this.word()));
  protected readonly text = computed(() => stateText(this.word(), this.#t));
}
