import { ChangeDetectionStrategy, Component, computed, input } from '@angular/core';
import { localTime, utcTime } from '../core/format';
import { translator } from '../i18n/i18n';

/** A moment in local time with its zone, which wraps between date and time only; UTC on hover. */
@Component({
  selector: 'pb-time',
  changeDetection: ChangeDetectionStrategy.OnPush,
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
  readonly #t = translator();
  protected readonly parts = computed(() => localTime(this.at()).split(/(?<=,) (?!.*, )/));
  protected readonly utc = computed(() =>
    this.at() ? this.#t('common.utc', { time: utcTime(this.at()) }) : '',
  );
}
