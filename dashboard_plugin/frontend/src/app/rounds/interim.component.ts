import { Component, computed, inject, input } from '@angular/core';
import { InterimClass, InterimOsd, LatencyPoint, Round } from '../../generated/types';
import { ChartComponent } from '../charts/chart.component';
import { axis, frame, tooltip } from '../charts/options';
import { palette } from '../charts/palette';
import { liveGet } from '../core/api';
import { number, percent, stamp } from '../core/format';
import { HostSettings } from '../core/host-settings';
import { Column } from '../shared/data-table/column';
import { resultColumn } from './result-column';
import { fill } from '../shared/fill';
import { PIECES } from '../shared/pieces';

/** The module answers from memory. */
const LIVE_MS = 5_000;

/** What a running round of OSDs has measured so far, and what clients feel of it. */
@Component({
  selector: 'pb-interim',
  imports: [PIECES, ChartComponent],
  templateUrl: './interim.component.html',
})
export class InterimComponent {
  readonly round = input.required<Round>();
  readonly #host = inject(HostSettings);
  protected readonly fill = fill;
  readonly #id = computed(() => this.round().id);
  protected readonly live = liveGet('round/ID/live', LIVE_MS, () => ({ ID: this.#id() }));
  protected readonly classes = computed((): readonly Column<InterimClass>[] => [
    { key: 'class', title: 'Class', value: (row) => row.class },
    { key: 'osds', title: 'OSDs', value: (row) => row.osds, figure: true },
    ...(
      [
        ['low', 'Slowest'],
        ['median', 'Median'],
        ['high', 'Fastest'],
      ] as const
    ).map(([part, title]): Column<InterimClass> => ({
      ...resultColumn<InterimClass>(`${part}_`, (row) => ({
        bytes: row.bytes_per_second[part],
        iops: row.iops[part],
      })),
      key: part,
      title,
    })),
  ]);
  protected readonly slowest = computed((): readonly Column<InterimOsd>[] => [
    { key: 'osd', title: 'OSD', value: (row) => row.osd },
    { key: 'host', title: 'Host', value: (row) => row.host },
    { key: 'class', title: 'Class', value: (row) => row.class },
    resultColumn('', (row) => ({ bytes: row.bytes_per_second, iops: row.iops })),
    {
      key: 'percent_of_class',
      title: 'Of class',
      value: (row) => row.percent_of_class,
      text: (row) => percent(row.percent_of_class),
      figure: true,
    },
  ]);
  protected readonly ofClass = (row: InterimClass): string => row.class ?? '';
  protected readonly ofOsd = (row: InterimOsd): number => row.osd;

  protected readonly clients = computed(() => {
    const found = this.live.value()?.client_latency;
    if (!found) return null;
    const known = found.points.flatMap(({ ms }) => (ms === null ? [] : [ms]));
    const [before, now] = [found.before_ms, known.at(-1) ?? null];
    const words = { before: number(before), now: number(now), highest: number(max(known)) };
    return {
      text: known.length
        ? fill(
            before === null
              ? '{now} ms now, {highest} ms at most. Before the round there were too few operations.'
              : '{now} ms now, {before} ms before the round, {highest} ms at most.',
            words,
          )
        : 'Not known: clients do fewer than 100 operations in 15 s, or the watch is off.',
      option: known.length > 1 ? this.#latency(found.points, before) : null,
    };
  });

  #latency(points: readonly LatencyPoint[], before: number | null): ReturnType<typeof frame> {
    const colours = palette(this.#host.dark());
    const line = { color: colours.quiet, type: 'dashed' as const };
    return frame(colours, {
      tooltip: {
        ...tooltip(colours),
        trigger: 'axis',
        formatter: ([hit]: { value: readonly [number, number | null] }[]) =>
          hit ? `${stamp(hit.value[0])}\n${number(hit.value[1])} ms` : '',
      },
      xAxis: axis(colours, { type: 'time', splitLine: { show: false } }),
      yAxis: axis(colours, { type: 'value', name: 'ms', min: 0 }),
      series: [
        {
          type: 'line',
          symbol: 'none',
          data: points.map(({ at, ms }) => [Date.parse(at), ms]),
          lineStyle: { width: 1.5, color: colours.first },
          itemStyle: { color: colours.first },
          ...(before === null
            ? {}
            : {
                markLine: {
                  symbol: 'none',
                  silent: true,
                  label: {
                    formatter: 'before',
                    position: 'insideEndTop',
                    color: colours.quiet,
                  },
                  lineStyle: line,
                  data: [{ yAxis: before }],
                },
              }),
        },
      ],
    });
  }
}

function max(values: readonly number[]): number | null {
  return values.length ? Math.max(...values) : null;
}
