import { ChangeDetectionStrategy, Component, computed, input } from '@angular/core';
import { share } from '../core/format';
import { t } from '../i18n/i18n';

const HEIGHT = 22;

/** Sixty minutes as bars, the highest of the scale at the top; a gap is no data. */
@Component({
  selector: 'pb-spark',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `<svg
    class="pb-spark"
    role="img"
    [attr.viewBox]="box()"
    [attr.aria-label]="label()"
    preserveAspectRatio="none"
  >
    <path [attr.d]="bars()" />
  </svg>`,
})
export class SparkComponent {
  readonly minutes = input.required<readonly (number | null)[]>();
  /** What fills the height. */
  readonly most = input.required<number>();
  protected readonly box = computed(() => `0 0 ${Math.max(1, this.minutes().length)} ${HEIGHT}`);
  protected readonly bars = computed(() => {
    const scale = HEIGHT / Math.max(this.most(), 0.01);
    return this.minutes()
      .map((value, at) => {
        if (value === null) return '';
        const height = Math.max(0.5, Math.min(HEIGHT, value * scale)).toFixed(1);
        return `M${at} ${HEIGHT}v-${height}h0.8v${height}z`;
      })
      .join('');
  });
  protected readonly label = computed(() => {
    const known = this.minutes().filter((value) => value !== null);
    if (known.length === 0) return t('common.no-data');
    const values = { most: share(Math.max(...known)), last: share(known.at(-1) ?? null) };
    return t('crc.hour.label', values);
  });
}
