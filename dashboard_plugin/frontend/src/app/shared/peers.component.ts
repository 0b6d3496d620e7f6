import { Component, computed, inject, input } from '@angular/core';
import { percent } from '../core/format';
import { Pulse } from '../core/pulse';
import { isSlow } from '../core/slow';

/** Percent of peers, with a sign where it is slow. */
@Component({
  selector: 'pb-peers',
  template: `@if (slow()) {
      <span class="pb-slow"><span aria-hidden="true">▼</span> {{ text() }}</span
      ><span class="pb-hidden">slow</span>
    } @else {
      {{ text() }}
    }`,
})
export class PeersComponent {
  readonly value = input.required<number | null>();
  readonly z = input.required<number | null>();
  readonly #pulse = inject(Pulse);
  protected readonly slow = computed(() =>
    isSlow({ percent_of_peers: this.value(), robust_z: this.z() }, this.#pulse.limits()),
  );
  protected readonly text = computed(() => percent(this.value()));
}
