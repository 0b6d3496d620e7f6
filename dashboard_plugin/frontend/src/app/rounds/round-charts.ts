import type { EChartsCoreOption } from 'echarts/core';
import { axis, frame, legend, tooltip } from '../charts/options';
import { Palette } from '../charts/palette';
import { number, stamp } from '../core/format';
import { fill } from '../shared/fill';

/** So many OSDs have a figure between two bounds. */
export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** Of these, those that are slow against their peers. */
  readonly slow: number;
}

/** Some waves of one repeat, `wave` the first: when they began, and what their OSDs reached. */
export interface WaveSpan {
  readonly at: number;
  readonly repeat: number;
  readonly wave: number;
  readonly waves: number;
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

/** Bars; OSDs that are slow against their peers stand in them at the foot, in a colour and a pattern of their own. */
export function distributionOption(
  bins: readonly Bin[],
  unit: string,
  colours: Palette,
): EChartsCoreOption {
  const digits = (bins[0] ? bins[0].to - bins[0].from : 1) < 1 ? 2 : 0;
  const name = (value: number): string => number(value, digits);
  return frame(colours, {
    tooltip: {
      ...tooltip(colours),
      trigger: 'axis',
      formatter: ([bar]: { dataIndex: number }[]) => {
        const bin = bins[bar?.dataIndex ?? 0];
        if (!bin) return '';
        const slow = bin.slow ? `\nof these slow against their peers: ${bin.slow}` : '';
        return `${name(bin.from)} – ${name(bin.to)} ${unit}: ${fill('{count|OSD|OSDs}', { count: bin.count })}${slow}`;
      },
    },
    xAxis: axis(colours, {
      type: 'category',
      name: unit,
      nameLocation: 'middle',
      nameTextStyle: { color: colours.quiet },
      nameGap: 28,
      data: bins.map((bin) => name(bin.from)),
      splitLine: { show: false },
    }),
    yAxis: axis(colours, { type: 'value', name: 'OSDs', minInterval: 1 }),
    series: [
      bars('slow', bins, { color: colours.slow, decal: STRIPES }),
      bars('others', bins, { color: colours.first }),
    ],
  });
}

function bars(which: 'slow' | 'others', bins: readonly Bin[], itemStyle: object): object {
  return {
    type: 'bar',
    stack: 'osds',
    // One slow OSD among thousands is what one looks for: it must be seen.
    barMinHeight: 4,
    barCategoryGap: '8%',
    data: bins.map(({ count, slow }) => (which === 'slow' ? slow : count - slow) || null),
    itemStyle,
  };
}

const STRIPES = { symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [2, 4], rotation: -0.8 };

/** The median of each wave over time, with the span of its OSDs behind it. */
export function wavesOption(
  points: readonly WaveSpan[],
  unit: string,
  colours: Palette,
): EChartsCoreOption {
  return frame(colours, {
    legend: legend(colours),
    tooltip: {
      ...tooltip(colours),
      trigger: 'axis',
      formatter: ([hit]: { dataIndex: number }[]) => described(points[hit?.dataIndex ?? -1], unit),
    },
    dataZoom: [{ type: 'inside', filterMode: 'none' }],
    xAxis: axis(colours, { type: 'time', splitLine: { show: false } }),
    yAxis: axis(colours, { type: 'value', name: unit, scale: true }),
    series: [
      ...span(points, colours),
      {
        type: 'line',
        name: 'median of the wave',
        data: points.map((point) => [point.at, point.median]),
        symbol: 'circle',
        symbolSize: points.length > 200 ? 2 : 6,
        lineStyle: { width: 1.5, color: colours.first },
        itemStyle: { color: colours.first },
      },
    ],
  });
}

/** Two stacked areas: up to the low end nothing, from there to the high end a tint. */
function span(points: readonly WaveSpan[], colours: Palette): object[] {
  const shared = {
    type: 'line',
    stack: 'span',
    symbol: 'none',
    lineStyle: { opacity: 0 },
    silent: true,
  };
  const tint = { color: colours.first, opacity: 0.18 };
  return [
    { ...shared, data: points.map((point) => [point.at, point.low]) },
    {
      ...shared,
      name: 'slowest to fastest OSD of the wave',
      data: points.map((point) => [point.at, point.high - point.low]),
      areaStyle: tint,
      itemStyle: { color: colours.first, opacity: 0.35 },
    },
  ];
}

function described(point: WaveSpan | undefined, unit: string): string {
  if (!point) return '';
  const last = point.waves > 1 ? ` – ${point.wave + point.waves - 1}` : '';
  const place = `Repeat ${point.repeat}, Wave ${point.wave}${last}`;
  const values = `${number(point.low)} … ${number(point.median)} … ${number(point.high)} ${unit}`;
  return `${stamp(point.at)}\n${place}\n${values}`;
}
