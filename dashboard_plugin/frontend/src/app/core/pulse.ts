import { Injectable, computed, inject, signal } from '@angular/core';
import { Status } from '../../generated/types';
import { Api } from './api';
import { Live, live } from './live';
import { RefusalKind } from './refusal';

const IDLE_MS = 10_000;
const RUNNING_MS = 2_000;
const WHOLE: readonly RefusalKind[] = ['off', 'unreachable', 'logged-out'];

/** The cluster's state as all pages see it: one poll for everybody, faster while a round runs. */
@Injectable({ providedIn: 'root' })
export class Pulse {
  readonly #api = inject(Api);
  readonly status: Live<Status> = live((signal) => this.#api.get('status', {}, signal), {
    every: () => (this.active() ? RUNNING_MS : IDLE_MS),
  });
  readonly active = computed(() => this.status.value()?.active_round ?? null);
  /** The module's thresholds and bounds; an older one does not tell them. */
  readonly limits = computed(() => this.status.value()?.limits);
  /** Why nothing works at all, for the whole frame to say once. */
  readonly outage = computed(() => {
    const refusal = this.status.refusal();
    return refusal && WHOLE.includes(refusal.kind) ? refusal : null;
  });
  /** The round that was told to stop here: it ends its benches, and puts settings back. */
  readonly stopping = signal<number | null>(null);
  readonly #activeId = computed(() => this.active()?.id ?? null);
  readonly #stored = computed(() => this.status.value()?.store.rounds ?? null);
  /** Changes when rounds have come, gone, begun or ended: what lists them asks again. */
  readonly rounds = computed(() => `${this.#activeId() ?? ''}/${this.#stored() ?? ''}`);
}
