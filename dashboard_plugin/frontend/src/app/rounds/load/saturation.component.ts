import { ChangeDetectionStrategy, Component, computed, inject, input } from '@angular/core';
import { LoadPoint, Round, Saturation } from '../../../generated/types';
import { ChartComponent } from '../../charts/chart.component';
import { palette } from '../../charts/palette';
import { inMs, mib, number, percent, rate } from '../../core/format';
import { HostSettings } from '../../core/host-settings';
import { toldInIops } from '../../core/slow';
import { translator, Translate } from '../../i18n/i18n';
import { Column, figure, minor } from '../../shared/data-table/column';
import { DataTableComponent } from '../../shared/data-table/data-table.component';
import { MARKS, marksOf, saturationOption } from './saturation-chart';

/** Where the cluster saturates: the curve with its knee, and the load to run at. */
@Component({
  selector: 'pb-saturation',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [ChartComponent, DataTableComponent],
  template: `
    @if (round().saturation; as found) {
      <section class="pb-card" aria-labelledby="pb-saturation">
        <header class="pb-card__head">
          <h2 id="pb-saturation">{{ t('saturation.title') }}</h2>
          <span class="pb-quiet"
            >{{ t('saturation.runs', { runs: found.runs.length, most: found.most_runs })
            }}{{
              found.grid > found.most_runs ? t('saturation.grid', { grid: found.grid }) : ''
            }}</span
          >
        </header>
        @if (said(); as sentence) {
          <p class="pb-remark pb-remark--good">
            <span class="pb-remark__sign" aria-hidden="true">✓</span>
            <span class="pb-remark__text">{{ sentence }}</span>
          </p>
          @if (!found.confirmed) {
            <p class="pb-quiet">{{ t('saturation.unconfirmed') }}</p>
          }
        }
        @if (chart(); as drawn) {
          <pb-chart [option]="drawn.option" [label]="drawn.label" [height]="320" />
          <pb-table
            [name]="t('saturation.title')"
            [file]="'round-' + round().id + '-saturation'"
            [columns]="columns()"
            [rows]="found.curve"
            [rowId]="rowId"
            [searchable]="false"
          />
        } @else {
          <p class="pb-empty">{{ t('saturation.not-yet') }}</p>
        }
      </section>
    }
  `,
})
export class SaturationComponent {
  readonly round = input.required<Round>();
  readonly #host = inject(HostSettings);
  protected readonly t = translator();
  readonly #found = computed(() => this.round().saturation);
  protected readonly said = computed(() => {
    const found = this.#found();
    if (!found?.recommended || !found.reason) return null;
    const { clients, threads } = found.recommended;
    const load = this.t('saturation.load', { clients, threads });
    const reason = found.reason;
    return this.t('saturation.recommends', { load, share: percent(found.share_percent), reason });
  });
  protected readonly chart = computed(() => {
    const found = this.#found();
    if (!found?.curve.length) return null;
    const iops = toldInIops(this.round().load?.size ?? 0);
    return {
      option: saturationOption(found, iops, palette(this.#host.dark()), this.t),
      label: this.#label(found),
    };
  });
  protected readonly columns = computed(() => columns(this.#found(), this.t));
  protected readonly rowId = (row: LoadPoint): string => `${row.clients} ${row.threads}`;

  #label(found: Saturation): string {
    const marked = MARKS.map((mark) => {
      const point = found[mark];
      if (!point) return '';
      const { clients, threads, bytes_per_second: bytes } = point;
      const load = this.t('saturation.load', { clients, threads });
      return `${this.t(`saturation.${mark}`)} ${load}, ${rate(bytes)}`;
    });
    const marks = marked.filter(Boolean).join('; ');
    return this.t('saturation.chart', { count: found.curve.length, marks });
  }
}

function columns(found: Saturation | null, t: Translate): readonly Column<LoadPoint>[] {
  const count = (value: number | null): string => number(value, 0);
  return [
    {
      key: 'load',
      title: t('load.load'),
      value: (row) => t('saturation.load', { clients: row.clients, threads: row.threads }),
    },
    figure('in_flight', t('saturation.in-flight'), count),
    figure('runs', t('saturation.column.runs'), count),
    figure('bytes_per_second', 'MiB/s', mib),
    minor(figure('lowest_bytes_per_second', t('saturation.lowest'), mib)),
    minor(figure('highest_bytes_per_second', t('saturation.highest'), mib)),
    figure('iops', 'IOPS', count),
    figure('mean_latency', t('load.mean-ms'), inMs),
    figure('p99_latency', t('saturation.p99'), inMs),
    {
      key: 'mark',
      title: t('saturation.mark'),
      value: (row) =>
        found === null
          ? ''
          : marksOf(found, row)
              .map((mark) => t(`saturation.${mark}`))
              .join(', '),
    },
  ];
}
