import type { EChartsCoreOption } from 'echarts/core';
import { axis, frame, legend, tooltip } from '../charts/options';
import { Palette } from '../charts/palette';
import { number, stamp } from '../core/format';
import { I18n } from '../i18n/i18n';

/** So many OSDs have a figure between two bounds. */
export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
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

/** Bars; the boxes with their middle below `slowBelow` in another colour and a pattern. */
export function distributionOption(
  bins: readonly Bin[],
  unit: string,
  slowBelow: number | null,
  colours: Palette,
  t: I18n['t'],
): EChartsCoreOption {
  const digits = (bins[0] ? bins[0].to - bins[0].from : 1) < 1 ? 2 : 0;
  const name = (value: number): string => number(value, digits);
  return frame(colours, {
    tooltip: {
      ...tooltip(colours),
      trigger: 'axis',
      formatter: ([bar]: { dataIndex: number }[]) => {
        const bin = bins[bar?.dataIndex ?? 0];
        return bin ? `${name(bin.from)} – ${name(bin.to)} ${unit}: ${bin.count} OSDs` : '';
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
    yAxis: axis(colours, { type: 'value', name: t('round.distribution.axis'), minInterval: 1 }),
    series: [
      {
        type: 'bar',
        // One slow OSD among thousands is what one looks for: it must be seen.
        barMinHeight: 4,
        barCategoryGap: '8%',
        data: bins.map((bin) =>
          slowBelow !== null && (bin.from + bin.to) / 2 <= slowBelow
            ? { value: bin.count || null, itemStyle: { color: colours.slow, decal: STRIPES } }
            : { value: bin.count || null, itemStyle: { color: colours.first } },
        ),
      },
    ],
  });
}

const STRIPES = { symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [2, 4], rotation: -0.8 };

/** The median of each wave over time, with the span of its OSDs behind it. */
export function wavesOption(
  points: readonly WaveSpan[],
  unit: string,
  colours: Palette,
  t: I18n['t'],
): EChartsCoreOption {
  return frame(colours, {
    legend: legend(colours),
    tooltip: {
      ...tooltip(colours),
      trigger: 'axis',
      formatter: ([hit]: { dataIndex: number }[]) =>
        described(points[hit?.dataIndex ?? -1], unit, t),
    },
    dataZoom: [{ type: 'inside', filterMode: 'none' }],
    xAxis: axis(colours, { type: 'time', splitLine: { show: false } }),
    yAxis: axis(colours, { type: 'value', name: unit, scale: true }),
    series: [
      ...span(points, colours, t),
      {
        type: 'line',
        name: t('round.waves.median'),
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
function span(points: readonly WaveSpan[], colours: Palette, t: I18n['t']): object[] {
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
      name: t('round.waves.range'),
      data: points.map((point) => [point.at, point.high - point.low]),
      areaStyle: tint,
      itemStyle: { color: colours.first, opacity: 0.35 },
    },
  ];
}

function described(point: WaveSpan | undefined, unit: string, t: I18n['t']): string {
  if (!point) return '';
  const last = point.waves > 1 ? ` – ${point.wave + point.waves - 1}` : '';
  const place = `${t('sample.repeat')} ${point.repeat}, ${t('sample.wave')} ${point.wave}${last}`;
  const values = `${number(point.low)} … ${number(point.median)} … ${number(point.high)} ${unit}`;
  return `${stamp(point.at)}\n${place}\n${values}`;
}
