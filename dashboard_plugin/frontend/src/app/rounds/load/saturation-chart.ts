import type { EChartsCoreOption } from 'echarts/core';
import { LoadPoint, Saturation } from '../../../generated/types';
import { GRID, axis, frame, legend, tooltip } from '../../charts/options';
import { Palette } from '../../charts/palette';
import { inMib, inMs, mib, number } from '../../core/format';
import { fill } from '../../shared/fill';

export const MARKS = ['peak', 'knee', 'recommended'] as const;

/** What a point of the curve is: several may be the same load. */
export function marksOf(found: Saturation, point: LoadPoint): readonly (typeof MARKS)[number][] {
  return MARKS.filter((mark) => {
    const marked = found[mark];
    return marked?.clients === point.clients && marked.threads === point.threads;
  });
}

/** Throughput and latency by operations in flight, with peak, knee and the recommended load. */
export function saturationOption(
  found: Saturation,
  iops: boolean,
  colours: Palette,
): EChartsCoreOption {
  const { curve } = found;
  return frame(colours, {
    grid: { ...GRID, top: 56, bottom: 28 },
    legend: legend(colours),
    tooltip: {
      ...tooltip(colours),
      trigger: 'axis',
      formatter: (hits: readonly { dataIndex: number }[]) =>
        described(found, curve[hits[0]?.dataIndex ?? -1]),
    },
    xAxis: axis(colours, {
      type: 'category',
      name: 'Operations in flight',
      nameLocation: 'middle',
      nameGap: 28,
      data: curve.map((point) => String(point.in_flight)),
    }),
    yAxis: [
      axis(colours, { type: 'value', name: iops ? 'IOPS' : 'MiB/s', min: 0 }),
      axis(colours, {
        type: 'value',
        name: 'ms',
        min: 0,
        splitLine: { show: false },
        nameTextStyle: { color: colours.quiet, align: 'right' },
      }),
    ],
    series: [throughput(found, iops, colours), latency(curve, colours)],
  });
}

function throughput(found: Saturation, iops: boolean, colours: Palette): object {
  return {
    type: 'line',
    name: 'Throughput',
    color: colours.first,
    lineStyle: { width: 2.5 },
    symbol: 'circle',
    symbolSize: 7,
    showAllSymbol: true,
    data: found.curve.map((point) => {
      const value = iops ? point.iops : inMib(point.bytes_per_second);
      const marks = marksOf(found, point);
      if (marks.length === 0) return { value };
      return {
        value,
        symbolSize: 14,
        label: {
          show: true,
          ...labelPlace(marks),
          formatter: marks.map((one) => one).join(', '),
          color: colours.text,
          fontWeight: 'bold',
        },
      };
    }),
  };
}

/** Apart from each other where their points are near: the curve rises, so there is room on both sides. */
export function labelPlace(marks: readonly (typeof MARKS)[number][]): object {
  if (marks.includes('peak')) return { position: 'top' };
  if (marks.includes('knee')) return { position: 'top', align: 'right', offset: [4, 0] };
  return { position: 'bottom', align: 'left', offset: [4, 2] };
}

function latency(curve: readonly LoadPoint[], colours: Palette): object {
  return {
    type: 'line',
    name: 'mean latency',
    yAxisIndex: 1,
    color: colours.slow,
    lineStyle: { width: 2, type: 'dashed' },
    symbol: 'triangle',
    symbolSize: 8,
    showAllSymbol: true,
    data: curve.map((point) => 1000 * point.mean_latency),
  };
}

function described(found: Saturation, point: LoadPoint | undefined): string {
  if (!point) return 'no data';
  const marks = marksOf(found, point).map((mark) => mark);
  return [
    fill('{clients|client|clients} × {threads}', {
      clients: point.clients,
      threads: point.threads,
    }),
    `${mib(point.bytes_per_second)} MiB/s, ${number(point.iops, 0)} IOPS`,
    `${inMs(point.mean_latency)} ms, p99 ${inMs(point.p99_latency)} ms`,
    marks.join(', '),
  ]
    .filter(Boolean)
    .join('\n');
}
