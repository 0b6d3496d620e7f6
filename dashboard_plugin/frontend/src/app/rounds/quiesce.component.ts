import { Component, computed, inject, signal } from '@angular/core';
import { Quiesce } from '../../generated/types';
import { Api } from '../core/api';
import { HostSettings } from '../core/host-settings';
import { live } from '../core/live';
import { Pulse } from '../core/pulse';
import { fill } from '../shared/fill';
import { PIECES } from '../shared/pieces';

const POLL_MS = 15_000;

/** The settings of the cluster that a round holds, and those that still have to be put back. */
@Component({
  selector: 'pb-quiesce',
  imports: [PIECES],
  templateUrl: './quiesce.component.html',
})
export class QuiesceComponent {
  readonly #api = inject(Api);
  readonly #pulse = inject(Pulse);
  readonly #state = computed(() => this.#pulse.status.value()?.quiesce.state ?? null);
  protected readonly host = inject(HostSettings);
  protected readonly fill = fill;
  protected readonly asked = signal(false);
  protected readonly words = {
    idle: 'No round has changed a setting of the cluster now.',
    held: 'Held while the round runs, and put back at its end.',
    'restore-pending': 'Not all settings are put back yet. It is tried again every few seconds.',
  } as const;
  protected readonly live = live<Quiesce>(
    (signal) => {
      this.#state(); // asked again at once when it changes
      return this.#api.get('quiesce', {}, signal);
    },
    { every: () => POLL_MS, keep: true },
  );
  protected readonly shown = computed(() => {
    const found = this.live.value();
    return this.live.refusal() !== null || (found !== null && !over(found));
  });

  /** It was told to stop a moment ago: that its settings are not back yet is nothing to mend. */
  protected readonly settling = computed(() => {
    const round = this.live.value()?.round ?? null;
    return round !== null && this.#pulse.stopping() === round;
  });

  protected readonly pending = computed(
    () => this.live.value()?.state === 'restore-pending' && !this.settling(),
  );

  protected readonly restore = async (): Promise<void> => {
    await this.#api.post('quiesce/restore');
    this.#pulse.status.refresh();
    this.live.refresh();
  };

  protected word(value: string | null): string {
    return value ?? 'not set';
  }
}

/** Nothing is changed, and nobody has to look at anything. */
function over({ state, watched, last }: Quiesce): boolean {
  return state === 'idle' && watched.length === 0 && !last?.left.length;
}
