import type { EChartsCoreOption } from 'echarts/core';
import { PeerSeries } from '../../generated/types';
import { axis, frame, legend, lineData, tooltip } from '../charts/options';
import { Palette } from '../charts/palette';
import { milliseconds, stamp } from '../core/format';

/** The names of what its peers take. */
export const BAND = ['Median of its peers', '10th to 90th percentile of its peers'] as const;

/** A span: the OSDs in question, and 10th percentile, median and 90th percentile of their peers. */
export interface BandPoint {
  /** Unix milliseconds. */
  readonly at: number;
  readonly own: number | null;
  readonly low: number | null;
  readonly median: number | null;
  readonly high: number | null;
}

/** The points, with one of nothing in every gap: a line over it would tell of what nobody saw. */
export function bandPoints(series: PeerSeries): readonly BandPoint[] {
  const places = ['at', 'seconds', 'own_ms', 'low_ms', 'median_ms', 'high_ms'].map((name) =>
    series.columns.indexOf(name),
  );
  const rows = series.rows.map((row) => places.map((place) => row[place] ?? null));
  return rows.flatMap((row, index) => {
    const [at, seconds] = [row[0] ?? 0, row[1] ?? 0];
    const next = rows[index + 1]?.[0] ?? at;
    const point = pointOf(at, row.slice(2));
    const gap = next - at - seconds >= 0.5 * seconds;
    return gap ? [point, pointOf(at + seconds, [])] : [point];
  });
}

function pointOf(at: number, figures: readonly (number | null)[]): BandPoint {
  const [own = null, low = null, median = null, high = null] = figures;
  return { at: 1000 * at, own, low, median, high };
}

export function bandOption(
  series: PeerSeries,
  own: string,
  began: string | null,
  colours: Palette,
): EChartsCoreOption {
  const points = bandPoints(series);
  return frame(colours, {
    legend: {
      ...legend(colours),
      data: [own, ...BAND],
    },
    tooltip: {
      ...tooltip(colours),
      trigger: 'axis',
      formatter: (hits: readonly { dataIndex: number }[]) =>
        described(points[hits[0]?.dataIndex ?? -1], own),
    },
    dataZoom: [{ type: 'inside', filterMode: 'none' }],
    xAxis: axis(colours, {
      type: 'time',
      min: series.from,
      max: series.to,
      splitLine: { show: false },
    }),
    yAxis: axis(colours, { type: 'value', name: 'ms', min: 0 }),
    series: [
      ...peersBand(points, colours),
      {
        type: 'line',
        name: own,
        color: colours.slow,
        lineStyle: { width: 2 },
        ...lineData(points.map(({ at, own: value }) => [at, value])),
        ...(began ? { markLine: beganLine(began, colours) } : {}),
      },
    ],
  });
}

/** The band is stacked: nothing up to the 10th percentile, and grey up to the 90th. */
export function peersBand(points: readonly BandPoint[], colours: Palette): readonly object[] {
  const line = { type: 'line', z: 1 };
  const band = { ...line, symbol: 'none', stack: 'band', lineStyle: { width: 0 } };
  const grey = { color: colours.quiet, opacity: 0.25 };
  return [
    {
      ...band,
      name: 'low',
      silent: true,
      data: points.map(({ at, low }) => [at, low]),
    },
    {
      ...band,
      name: BAND[1],
      color: colours.quiet,
      areaStyle: grey,
      data: points.map(({ at, low, high }) => [
        at,
        low === null || high === null ? null : high - low,
      ]),
    },
    {
      ...line,
      name: BAND[0],
      color: colours.quiet,
      lineStyle: { width: 1 },
      ...lineData(points.map(({ at, median }) => [at, median])),
    },
  ];
}

function beganLine(began: string, colours: Palette): object {
  return {
    silent: true,
    symbol: 'none',
    lineStyle: { color: colours.text, type: 'dashed', width: 1 },
    label: { formatter: 'began', color: colours.text, position: 'insideEndTop' },
    data: [{ xAxis: began }],
  };
}

function described(point: BandPoint | undefined, own: string): string {
  if (!point) return 'no data';
  const { at, median, low, high } = point;
  return [
    stamp(at),
    `${own} ${milliseconds(point.own)} ms`,
    `Median of its peers ${milliseconds(median)} ms`,
    `10th to 90th percentile of its peers ${milliseconds(low)} – ${milliseconds(high)} ms`,
  ].join('\n');
}
