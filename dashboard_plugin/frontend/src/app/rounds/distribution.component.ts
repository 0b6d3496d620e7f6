import { Component, computed, inject, input, linkedSignal } from '@angular/core';
import { Round } from '../../generated/types';
import { ChartComponent } from '../charts/chart.component';
import { palette } from '../charts/palette';
import { liveGet } from '../core/api';
import { inMib, number } from '../core/format';
import { HostSettings } from '../core/host-settings';
import { toldInIops } from '../core/slow';
import { AnswerComponent } from '../shared/answer.component';
import { distributionOption } from './round-charts';
import { fill } from '../shared/fill';

/** How the figures of all OSDs of an ended round are distributed. */
@Component({
  selector: 'pb-distribution',
  imports: [AnswerComponent, ChartComponent],
  templateUrl: './distribution.component.html',
})
export class DistributionComponent {
  readonly round = input.required<Round>();
  readonly #host = inject(HostSettings);
  readonly #id = computed(() => this.round().id);
  protected readonly live = liveGet('round/ID/distribution', null, () => ({ ID: this.#id() }));
  readonly #iops = computed(() => toldInIops(this.round().step.block_size));
  /** The chart against peers, or in plain figures. */
  protected readonly plain = linkedSignal(
    () => this.live.value() !== null && !this.live.value()?.histograms.percent_of_peers,
  );
  protected readonly plainUnit = computed(() => (this.#iops() ? 'IOPS' : 'MiB/s'));
  readonly #colours = computed(() => palette(this.#host.dark()));
  readonly #figure = computed(() => (this.#iops() ? 'iops' : 'bytes_per_second'));
  /** A figure as it is shown. */
  readonly #shown = computed(
    () =>
      (value: number): number =>
        this.plain() && !this.#iops() ? (inMib(value) ?? 0) : value,
  );

  protected readonly distribution = computed(() => {
    const whole = this.live.value();
    const found = whole?.histograms[this.plain() ? this.#figure() : 'percent_of_peers'];
    if (!whole || !found) return null;
    const unit = this.plain() ? this.plainUnit() : '% of peers';
    const shown = this.#shown();
    const bins = found.counts.map((count, place) => ({
      from: shown((found.first + place) * found.width),
      to: shown((found.first + place + 1) * found.width),
      count,
      slow: found.slow[place] ?? 0,
    }));
    return {
      option: distributionOption(bins, unit, this.#colours()),
      label: fill(
        'Histogram of the median {figure} of {count|OSD|OSDs} from {low} to {high}, median {median}.',
        {
          figure: this.plain() ? unit : '%',
          count: found.count,
          low: number(shown(found.low)),
          high: number(shown(found.high)),
          median: number(shown(found.median)),
        },
      ),
      of: fill('{count} of {all|OSD|OSDs}', {
        count: number(found.count, 0),
        all: number(whole.osds, 0),
      }),
    };
  });
}
