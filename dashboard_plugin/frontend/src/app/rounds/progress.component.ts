import { Component, computed, effect, inject, signal, untracked } from '@angular/core';
import { duration, percent, share } from '../core/format';
import { Pulse } from '../core/pulse';
import { fill } from '../shared/fill';

/** Spoken progress comes in steps of this many percent, or a screen reader would never rest. */
const SPOKEN_STEP = 10;
/** OSDs that a round waits for, by name. */
const NAMED = 3;

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
    const { waits_for: osds } = round;
    const more = osds.length - NAMED;
    const names = osds.slice(0, NAMED).map((osd) => `osd.${osd}`);
    const waits = names.length ? `; waits for ${names.join(', ')}` : '';
    return line + eta + waits + (more > 0 ? ` and ${more} more` : '');
  });

  constructor() {
    effect(() => {
      const round = this.active();
      untracked(() => this.#speak(round));
    });
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
