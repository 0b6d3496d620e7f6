import { ChangeDetectionStrategy, Component, computed, inject } from '@angular/core';
import { Pulse } from '../core/pulse';
import { translator } from '../i18n/i18n';

/** Why what the watch says may not be all: it is off, hindered, or has lost something. */
@Component({
  selector: 'pb-watch-state',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `@if (watch(); as now) {
    @if (!now.on) {
      <p class="pb-notice" role="status">
        {{ t('watch.off') }} {{ t('watch.off.do') }}
        <code>ceph config set mgr mgr/perf_bench/watch true</code>
      </p>
    } @else if (now.problem) {
      <p class="pb-notice pb-notice--bad" role="status">
        {{ t('watch.problem', { problem: now.problem }) }}
      </p>
    } @else if (!now.last_tick_at) {
      <p class="pb-quiet">{{ t('watch.waiting') }}</p>
    }
    @if (now.lost_rows) {
      <p class="pb-quiet">{{ t('watch.lost', { count: now.lost_rows }) }}</p>
    }
  }`,
})
export class WatchStateComponent {
  readonly #pulse = inject(Pulse);
  protected readonly t = translator();
  protected readonly watch = computed(() => this.#pulse.status.value()?.watch ?? null);
}
