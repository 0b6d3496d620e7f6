import { ChangeDetectionStrategy, Component, computed, inject, input } from '@angular/core';
import { HostSettings } from '../core/host-settings';
import { localTime, utcTime } from '../core/format';
import { translator } from '../i18n/i18n';

/** A moment in local time with its zone; UTC on hover. */
@Component({
  selector: 'pb-time',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `<time [attr.datetime]="at()" [title]="utc()">{{ local() }}</time>`,
})
export class TimeComponent {
  readonly at = input.required<string | null | undefined>();
  readonly #host = inject(HostSettings);
  readonly #t = translator();
  protected readonly local = computed(() => localTime(this.at(), this.#host.locale()));
  protected readonly utc = computed(() =>
    this.at() ? this.#t('common.utc', { time: utcTime(this.at()) }) : '',
  );
}
