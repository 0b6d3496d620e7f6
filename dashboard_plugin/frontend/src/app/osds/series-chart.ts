import type { EChartsCoreOption } from 'echarts/core';
import { PeerSeries } from '../../generated/types';
import { axis, frame, legend, lineData, tooltip } from '../charts/options';
import { Palette } from '../charts/palette';
import { duration, milliseconds, stamp } from '../core/format';
import { BAND, bandPoints, peersBand } from '../findings/band-chart';
import { Point, withGaps } from './series';
import { fill } from '../shared/fill';

/**
 * The mean as a line, up to the slowest frame a band above it, a mark on every burst, and in grey
 * what its peers take.
 */
export function seriesOption(
  points: readonly Point[],
  [from, to]: readonly [from: string, to: string],
  colours: Palette,
  peers: PeerSeries | null = null,
): EChartsCoreOption {
  const shown = withGaps(points);
  const above = ({ mean, max }: Point): number | null =>
    mean === null || max === null ? null : Math.max(0, max - mean);
  const line = { type: 'line', stack: 'latency' };
  return frame(colours, {
    legend: {
      ...legend(colours),
      data: ['mean', 'slowest window', 'burst', ...(peers ? BAND : [])],
    },
    tooltip: {
      ...tooltip(colours),
      trigger: 'axis',
      formatter: (hits: readonly { dataIndex: number; seriesIndex?: number }[]) =>
        described(shown[hits.find(({ seriesIndex }) => !seriesIndex)?.dataIndex ?? -1]),
    },
    dataZoom: [{ type: 'inside', filterMode: 'none' }],
    xAxis: axis(colours, { type: 'time', min: from, max: to, splitLine: { show: false } }),
    yAxis: axis(colours, { type: 'value', name: 'ms', min: 0 }),
    series: [
      {
        ...line,
        name: 'mean',
        color: colours.first,
        lineStyle: { width: 2 },
        ...lineData(shown.map((point) => [point.at, point.mean])),
      },
      {
        ...line,
        name: 'slowest window',
        color: colours.third,
        lineStyle: { width: 1 },
        areaStyle: { opacity: 0.25 },
        ...lineData(shown.map((point) => [point.at, above(point)])),
      },
      bursts(shown, colours),
      ...(peers ? peersBand(bandPoints(peers), colours) : []),
    ],
  });
}

function bursts(points: readonly Point[], colours: Palette): object {
  return {
    type: 'line',
    name: 'burst',
    color: colours.slow,
    lineStyle: { width: 0 },
    symbol: 'triangle',
    symbolRotate: 180,
    symbolSize: 9,
    symbolOffset: [0, -6],
    showAllSymbol: true,
    data: points.map((point) => [point.at, point.slow ? point.max : null]),
  };
}

function described(point: Point | undefined): string {
  if (typeof point?.mean !== 'number') return 'no data';
  const lines = [
    stamp(point.at),
    `mean ${milliseconds(point.mean)} ms`,
    point.max === null ? '' : `slowest window ${milliseconds(point.max)} ms`,
    point.ops === null
      ? ''
      : fill('{count|operation|operations} in {time}', {
          count: point.ops,
          time: duration(point.seconds),
        }),
    point.slow ? fill('bursts in {count|window|windows}', { count: point.slow }) : '',
  ];
  return lines.filter(Boolean).join('\n');
}
