import { Component, computed, input } from '@angular/core';

/** How bad a state is: the class of its badge. */
export type Look = 'good' | 'warning' | 'bad' | 'none';

/**
 * The sign and the look of every state, verdict and severity that the module sends; another word is
 * shown as it is.
 */
const LOOKS: Readonly<Record<string, readonly [sign: string, look: Look]>> = {
  // Rounds: verdicts, and states of those without one.
  valid: ['✓', 'good'],
  noisy: ['≈', 'warning'],
  'too-short': ['◔', 'warning'],
  contaminated: ['☣', 'warning'],
  aborted: ['■', 'warning'],
  failed: ['✕', 'bad'],
  unreadable: ['?', 'warning'],
  running: ['▶', 'none'],
  stopping: ['▶', 'none'],
  // Changes between rounds.
  better: ['▲', 'good'],
  worse: ['▼', 'bad'],
  same: ['●', 'none'],
  inconclusive: ['○', 'warning'],
  'not-comparable': ['✕', 'warning'],
  // Findings and advice.
  error: ['✕', 'bad'],
  warning: ['!', 'warning'],
  info: ['i', 'none'],
  // OSDs and hardware.
  ok: ['✓', 'good'],
  suspect: ['○', 'warning'],
  slow: ['▼', 'bad'],
  down: ['✕', 'bad'],
  out: ['–', 'none'],
  'no-data': ['–', 'none'],
  unmeasured: ['–', 'none'],
  unused: ['–', 'none'],
  unknown: ['?', 'none'],
  'not-installed': ['–', 'none'],
  degraded: ['!', 'warning'],
  flapping: ['↕', 'warning'],
  bare: ['!', 'warning'],
  far: ['!', 'warning'],
  unlikely: ['?', 'warning'],
  implausible: ['✕', 'bad'],
  noncritical: ['!', 'warning'],
  critical: ['✕', 'bad'],
  unrecoverable: ['✕', 'bad'],
  fault: ['✕', 'bad'],
  // Paths and workers.
  active: ['✓', 'good'],
  ready: ['✓', 'good'],
  busy: ['▶', 'good'],
  lost: ['✕', 'bad'],
  duplicate: ['✕', 'bad'],
  mismatched: ['✕', 'bad'],
};

const BADNESS: readonly Look[] = ['none', 'good', 'warning', 'bad'];

export function badness(look: Look): number {
  return BADNESS.indexOf(look);
}

export function signOf(word: string): string {
  return LOOKS[plain(word)]?.[0] ?? '';
}

export function lookOf(word: string): Look {
  return LOOKS[plain(word)]?.[1] ?? 'none';
}

/** The word that is worst, what is not known before what is good; the first of those alike. */
export function worstOf(words: readonly string[]): string | null {
  const rank = (word: string): number => (lookOf(word) === 'good' ? -1 : badness(lookOf(word)));
  return words.reduce<string | null>(
    (worst, word) => (worst === null || rank(word) > rank(worst) ? word : worst),
    null,
  );
}

/** "Not installed", as SES devices write it, is "not-installed". */
function plain(word: string): string {
  return word.toLowerCase().replaceAll(' ', '-');
}

/** What is not called by its own word. */
const SAID: Readonly<Record<string, string>> = {
  stopping: 'Stopping',
  same: 'the same',
  unmeasured: 'not measured',
  unused: 'not used',
  bare: 'bypasses multipath',
  far: 'far from measured',
  unlikely: 'measured is implausible',
  mismatched: 'other version',
};

/** A state as it is read; one that is not known here stands for itself. */
export function stateText(word: string): string {
  const known = plain(word);
  return SAID[known] ?? (known in LOOKS ? known.replaceAll('-', ' ') : word);
}

/** How something is: a sign, a word, and only then a colour. */
@Component({
  selector: 'pb-state',
  template: `<span class="pb-badge pb-badge--{{ look() }}"
    ><span aria-hidden="true">{{ sign() }}</span> {{ text() }}</span
  >`,
})
export class StateBadgeComponent {
  readonly word = input.required<string>();
  protected readonly sign = computed(() => signOf(this.word()));
  protected readonly look = computed(() => lookOf(this.word()));
  protected readonly text = computed(() => stateText(this.word()));
}
