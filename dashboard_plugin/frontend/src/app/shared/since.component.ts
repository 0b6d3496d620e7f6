import { Component, computed, inject, input } from '@angular/core';
import { Clock } from '../core/clock';
import { localTime, roughDuration, utcTime } from '../core/format';
import { fill } from './fill';

/** For how long, or how long ago, with the moment in local time and, where it differs, in UTC. */
@Component({
  selector: 'pb-since',
  template: `<time [attr.datetime]="at()" [title]="short() ? moment() : ''">
    {{ fill(word(), { duration: age() }) }}
    @if (!short()) {
      <span class="pb-quiet">({{ moment() }})</span>
    }
  </time>`,
})
export class SinceComponent {
  readonly at = input.required<string | null | undefined>();
  /** The moment itself on hover only. */
  readonly short = input(false);
  readonly word = input<'for {duration}' | '{duration} ago'>('for {duration}');
  readonly #clock = inject(Clock);
  protected readonly fill = fill;
  protected readonly age = computed(() =>
    roughDuration(Math.max(0, (this.#clock.now() - Date.parse(this.at() ?? '')) / 1000)),
  );
  protected readonly moment = computed(() => {
    const [at, local] = [this.at(), localTime(this.at())];
    const same = new Date(at ?? '').getTimezoneOffset() === 0;
    return same ? local : `${local}, ${utcTime(at)} UTC`;
  });
}
