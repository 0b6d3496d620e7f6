import { Component, computed, inject, input, signal } from '@angular/core';
import { OsdSeries, PeerSeries } from '../../generated/types';
import { ChartComponent } from '../charts/chart.component';
import { palette } from '../charts/palette';
import { Api } from '../core/api';
import { milliseconds, number, short, stamp } from '../core/format';
import { HostSettings } from '../core/host-settings';
import { live } from '../core/live';
import { Pulse } from '../core/pulse';
import { AnswerComponent } from '../shared/answer.component';
import { Column, figure, plain } from '../shared/data-table/column';
import { DataTableComponent } from '../shared/data-table/data-table.component';
import { channelsOf, digest, Point, pointsOf, Span, SPAN_NAMES, SPANS } from './series';
import { seriesOption } from './series-chart';
import { fill } from '../shared/fill';
import { CHANNEL_HELP, CHANNEL_NAMES } from '../core/channels';

const POLL_MS = 60_000;

interface Answer {
  readonly span: Span;
  readonly series: OsdSeries;
}

/** An OSD's latency over time: one channel, as far back as one likes. */
@Component({
  selector: 'pb-osd-series',
  imports: [AnswerComponent, ChartComponent, DataTableComponent],
  templateUrl: './series.component.html',
})
export class SeriesComponent {
  readonly osd = input.required<number>();
  readonly #api = inject(Api);
  readonly #host = inject(HostSettings);
  readonly #pulse = inject(Pulse);
  protected readonly SPAN_NAMES = SPAN_NAMES;
  protected readonly CHANNEL_NAMES = CHANNEL_NAMES;
  protected readonly CHANNEL_HELP = CHANNEL_HELP;
  protected readonly spans = SPANS;
  protected readonly span = signal<Span>('1h');
  protected readonly wanted = signal('commit');
  protected readonly tabled = signal(false);
  protected readonly live = live((signal) => this.#ask(this.osd(), this.span(), signal), {
    every: () => POLL_MS,
    keep: true,
    remember: () => `series ${this.osd()} ${this.span()}`,
  });
  protected readonly channels = computed(() => {
    const answer = this.live.value();
    return answer ? channelsOf(answer.series) : [];
  });
  protected readonly channel = computed(
    () => this.channels().find((one) => one === this.wanted()) ?? this.channels()[0] ?? null,
  );
  /** What its peers take, asked for by itself: it is read of many OSDs. */
  protected readonly peers = live((signal): Promise<PeerSeries | null> => {
    const [ID, since, channel] = [this.osd(), this.span(), this.channel()];
    if (channel === null) return Promise.resolve(null);
    return this.#api
      .get('osd/ID/series', { ID, since, channel }, signal)
      .then(({ peers }) => peers);
  });
  protected readonly drawn = computed(() => {
    // The answer before is shown on while the next is on its way, but not another OSD's.
    const [answer, channel] = [this.live.value(), this.channel()];
    if (!answer || !channel || answer.series.osd !== this.osd()) return null;
    const { series, span } = answer;
    const points = pointsOf(series, channel);
    const said = this.#said(points);
    return {
      channel,
      span,
      points,
      digest: fill('Mean {mean} ms, slowest window {max} ms{rate}.{bursts}', said),
      option: seriesOption(
        points,
        [series.from, series.to],
        palette(this.#host.dark()),
        this.peers.value(),
      ),
      label: fill(
        'Latency {channel} of osd.{id}, {span}: mean {mean} ms, slowest window {max} ms.{bursts}',
        {
          ...said,
          id: this.osd(),
          channel: CHANNEL_NAMES[channel],
          span: SPAN_NAMES[span],
        },
      ),
    };
  });
  protected readonly limits = computed(() => {
    const limits = this.#pulse.limits();
    if (!limits) return '';
    const { frame_seconds: seconds, frame_ratio: ratio } = limits;
    return `A window is ${seconds} s; a burst is a window with at least ${short(ratio)} times the latency of the peers.`;
  });
  protected readonly columns = COLUMNS;
  protected readonly start = (point: Point): number => point.at;

  async #ask(osd: number, span: Span, signal: AbortSignal): Promise<Answer> {
    return { span, series: await this.#api.get('osd/ID/series', { ID: osd, since: span }, signal) };
  }

  #said(points: readonly Point[]): Record<'mean' | 'max' | 'bursts' | 'rate', string> {
    const { mean, max, rate, bursts: count } = digest(points);
    const bursts =
      count === null ? '' : ` ${fill('{count|interval|intervals} with bursts.', { count })}`;
    const load = rate === null ? '' : `, ${number(rate)} operations a second`;
    return { mean: milliseconds(mean), max: milliseconds(max), rate: load, bursts };
  }
}

const COLUMNS: readonly Column<Point>[] = [
  {
    key: 'at',
    title: 'From',
    value: (point) => new Date(point.at).toISOString(),
    text: (point) => stamp(point.at),
    sortable: true,
  },
  figure('mean', 'Mean ms', milliseconds),
  figure('max', 'Slowest window ms', milliseconds),
  plain('ops', 'Operations', { figure: true }),
  plain('slow', 'Windows with bursts', { figure: true }),
];
