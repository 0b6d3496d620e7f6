import { Component, computed, inject } from '@angular/core';
import { Pulse } from '../core/pulse';

/** Why what the watch says may not be all: it is off, hindered, or has lost something. */
@Component({
  selector: 'pb-watch-state',
  template: `@if (watch(); as now) {
    @if (!now.on) {
      <p class="pb-notice" role="status">
        The watch is off: slow OSDs and laggy PGs are not detected. Switch it on with:
        <code>ceph config set mgr mgr/perf_bench/watch true</code>
      </p>
    } @else if (now.problem) {
      <p class="pb-notice pb-notice--bad" role="status">
        The watch has a problem: {{ now.problem }}.
      </p>
    } @else if (!now.last_tick_at) {
      <p class="pb-quiet">The watch has not run yet.</p>
    }
    @if (now.lost_rows) {
      <p class="pb-quiet">{{ now.lost_rows }} rows of its history could not be written.</p>
    }
  }`,
})
export class WatchStateComponent {
  readonly #pulse = inject(Pulse);
  protected readonly watch = computed(() => this.#pulse.status.value()?.watch ?? null);
}
