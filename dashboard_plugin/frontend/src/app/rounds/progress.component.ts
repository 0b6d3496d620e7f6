import { Component, computed, effect, inject, signal, untracked } from '@angular/core';
import { ActiveRound } from '../../generated/types';
import { duration, percent, share } from '../core/format';
import { Pulse } from '../core/pulse';
import { fill } from '../shared/fill';

/** Spoken progress comes in steps of this many percent, or a screen reader would never rest. */
const SPOKEN_STEP = 10;

/** How far the round that runs is; the frame has the way to end it on every page. */
@Component({
  selector: 'pb-progress',
  template: `
    @if (active(); as round) {
      <progress
        class="pb-progress"
        max="1"
        [value]="round.progress"
        attr.aria-label="Round {{ round.id }} is running"
      ></progress>
      <p class="pb-active__line">
        <strong>{{ done() }}</strong>
        {{ line() }}
      </p>
    }
    <p class="pb-hidden" aria-live="polite">{{ spoken() }}</p>
  `,
})
export class ProgressComponent {
  readonly #pulse = inject(Pulse);
  protected readonly active = this.#pulse.active;
  protected readonly spoken = signal('');
  #last: number | null = null;

  protected readonly done = computed(() => share(this.active()?.progress ?? 0, 0));
  protected readonly line = computed(() => {
    const round = this.active();
    if (!round) return '';
    if (this.#pulse.stopping() === round.id)
      return 'Stopping: benches end, then settings are put back.';
    const samples = { done: round.samples, planned: round.samples_planned };
    const line = fill('{profile}, {phase}: {done} of {planned|sample|samples}', {
      profile: round.profile,
      phase: round.phase,
      ...samples,
    });
    const left = round.eta_seconds;
    const eta =
      left === null ? '' : `, about ${duration(Math.max(1, Math.ceil(left)), false)} left`;
    return line + eta + this.#waits(round.waits_for);
  });

  constructor() {
    effect(() => {
      const round = this.active();
      untracked(() => this.#speak(round));
    });
  }

  /** The OSDs whose bench takes long. */
  #waits({ osds, longest }: ActiveRound['waits_for']): string {
    if (!osds) return '';
    const names = longest.map(({ osd, seconds }) => `osd.${osd} (${duration(seconds)})`).join(', ');
    const more = osds - longest.length;
    return `; ${fill(more ? 'waits for {osds} and {more} more' : 'waits for {osds}', { osds: names, more })}`;
  }

  #speak(round: { id: number; progress: number } | null): void {
    if (round) {
      const step = Math.floor((round.progress * 100) / SPOKEN_STEP) * SPOKEN_STEP;
      this.spoken.set(`Round ${round.id}: ${percent(step)} done`);
    } else if (this.#last !== null) {
      this.spoken.set(`Round ${this.#last} has ended.`);
    }
    this.#last = round?.id ?? null;
  }
}
