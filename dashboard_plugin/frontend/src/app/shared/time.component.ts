import { Component, computed, input } from '@angular/core';
import { localTime, utcTime } from '../core/format';

/** A moment in local time with its zone, which wraps between date and time only; UTC on hover. */
@Component({
  selector: 'pb-time',
  template: `<time [attr.datetime]="at()" [title]="utc()">
    @for (part of parts(); track $index) {
      @if ($index) {
        &ngsp;
      }
      <span class="pb-nowrap">{{ part }}</span>
    }
  </time>`,
})
export class TimeComponent {
  readonly at = input.required<string | null | undefined>();
  protected readonly parts = computed(() => localTime(this.at()).split(/(?<=,) (?!.*, )/));
  protected readonly utc = computed(() => (this.at() ? `${utcTime(this.at())} UTC` : ''));
}
