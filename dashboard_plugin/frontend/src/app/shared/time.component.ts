import { Component, computed, inject, input } from '@angular/core';
import { Clock } from '../core/clock';
import { NOTHING, localTime, roughDuration, utcTime } from '../core/format';

/** As near as this is now: clocks differ, and ages are told anew twice a minute. */
const NOW_SECONDS = 20;

/** A moment as its distance from now; the time itself, local and in UTC, shows on hover. */
@Component({
  selector: 'pb-time',
  template: `<time class="pb-nowrap" [attr.datetime]="at()" [title]="moment()">{{ text() }}</time>`,
})
export class TimeComponent {
  readonly at = input.required<string | null | undefined>();
  /** What has lasted since then: "for 5 min" instead of "5 min ago". */
  readonly lasting = input(false);
  readonly #clock = inject(Clock);
  protected readonly text = computed(() => {
    const seconds = (this.#clock.now() - Date.parse(this.at() ?? '')) / 1000;
    if (Number.isNaN(seconds)) return NOTHING;
    const distance = roughDuration(Math.abs(seconds));
    if (this.lasting()) return `for ${distance}`;
    if (Math.abs(seconds) < NOW_SECONDS) return 'just now';
    return seconds < 0 ? `in ${distance}` : `${distance} ago`;
  });
  protected readonly moment = computed(() => {
    const [at, local] = [this.at(), localTime(this.at())];
    if (!at) return '';
    return new Date(at).getTimezoneOffset() === 0 ? local : `${local}, ${utcTime(at)} UTC`;
  });
}
