import { ChangeDetectionStrategy, Component, computed, input } from '@angular/core';
import { localTime, roughDuration, utcTime } from '../core/format';
import { translator } from '../i18n/i18n';

/** For how long, or how long ago, with the moment in local time and in UTC. */
@Component({
  selector: 'pb-since',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `<time [attr.datetime]="at()">
    {{ t(word(), { duration: age() }) }}
    <span class="pb-quiet">({{ local() }}, {{ t('time.utc', { time: utc() }) }})</span>
  </time>`,
})
export class SinceComponent {
  readonly at = input.required<string | null | undefined>();
  readonly word = input<'time.for' | 'time.ago'>('time.for');
  protected readonly t = translator();
  protected readonly age = computed(() =>
    roughDuration(Math.max(0, (Date.now() - Date.parse(this.at() ?? '')) / 1000)),
  );
  protected readonly local = computed(() => localTime(this.at()));
  protected readonly utc = computed(() => utcTime(this.at()));
}
