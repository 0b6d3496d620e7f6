import { Component, computed, inject, input } from '@angular/core';
import { Live } from '../core/live';
import { Pulse } from '../core/pulse';
import { REFUSALS } from '../core/refusal';
import { RefusalComponent } from './refusal.component';

/**
 * What shows around an answer: that it is on its way, why there is none, or that the one shown is
 * not current. The content is the page's, which shows it while `live.value()` is there.
 */
@Component({
  selector: 'pb-answer',
  imports: [RefusalComponent],
  template: `
    @if (refusal(); as why) {
      @if (!shown()) {
        <pb-refusal [refusal]="why" (again)="live().refresh()" />
      } @else {
        <p class="pb-stale" role="status">
          Not current: {{ why.message || REFUSALS[why.kind] }}
          Retrying automatically.
        </p>
      }
    } @else if (!shown() && live().asking()) {
      <p class="pb-loading" role="status">Loading…</p>
    }
    <ng-content />
  `,
})
export class AnswerComponent {
  readonly live = input.required<Live<unknown>>();
  /** Whether the content shows; for a page that does not show every answer it still has. */
  readonly there = input<boolean | null>(null);
  readonly #pulse = inject(Pulse);
  protected readonly REFUSALS = REFUSALS;
  protected readonly shown = computed(() => this.there() ?? this.live().value() !== null);
  /** Not what the frame already says for the whole tab. */
  protected readonly refusal = computed(() => {
    const refusal = this.live().refusal();
    return refusal && refusal.kind === this.#pulse.outage()?.kind ? null : refusal;
  });
}
