import type { EChartsCoreOption } from 'echarts/core';
import { GRID, axis, frame, legend, tooltip } from '../charts/options';
import { Palette } from '../charts/palette';
import { change, stamp } from '../core/format';
import { Figures, Past, levelsOf } from './past';

/** Rounds over time, the levels they lie on, where these change, and the baseline. */
export function pastOption(past: Past, figures: Figures, colours: Palette): EChartsCoreOption {
  const { points } = past.history;
  return frame(colours, {
    legend: legend(colours),
    grid: { ...GRID, right: 24, top: 56 },
    tooltip: {
      ...tooltip(colours),
      trigger: 'item',
      formatter: (hit: { dataIndex: number; seriesIndex: number }) =>
        hit.seriesIndex === 0 ? described(past, hit.dataIndex, figures) : '',
    },
    dataZoom: [{ type: 'inside', filterMode: 'none' }],
    xAxis: axis(colours, { type: 'time', splitLine: { show: false } }),
    yAxis: axis(colours, { type: 'value', name: figures.unit, min: 0 }),
    series: [
      {
        type: 'line',
        name: 'round',
        color: colours.first,
        lineStyle: { width: 1, opacity: 0.5 },
        symbol: 'circle',
        symbolSize: 7,
        showAllSymbol: true,
        data: points.map((point) => ({
          value: [point.at, figures.of(point.bytes_per_second)],
          ...(point.round === past.history.baseline ? { symbol: 'diamond', symbolSize: 14 } : {}),
        })),
        markLine: changes(past, colours),
      },
      levels(past, figures, colours),
      ...baseline(past, figures, colours),
    ],
  });
}

/** A dashed line at each change, with how much it was. */
function changes({ history }: Past, colours: Palette): object {
  return {
    symbol: 'none',
    silent: true,
    lineStyle: { color: colours.slow, type: 'dashed', width: 1.5 },
    label: { color: colours.text, position: 'end', rotate: 0 },
    data: history.changes.map((one) => ({
      xAxis: one.at,
      label: { formatter: `↕ ${change(one.change_percent)}` },
    })),
  };
}

function levels({ history }: Past, figures: Figures, colours: Palette): object {
  return {
    type: 'line',
    name: 'level',
    color: colours.second,
    lineStyle: { width: 2.5 },
    symbol: 'none',
    data: levelsOf(history).flatMap(({ from, to, rate }) => [
      [from, figures.of(rate)],
      [to, figures.of(rate)],
      [to, null],
    ]),
  };
}

function baseline(past: Past, figures: Figures, colours: Palette): object[] {
  const { history, baseline: known } = past;
  const [first, last] = [history.points[0], history.points.at(-1)];
  if (typeof known?.bytes_per_second !== 'number' || !first || !last) return [];
  const value = figures.of(known.bytes_per_second);
  return [
    {
      type: 'line',
      name: `baseline (round ${known.round})`,
      color: colours.third,
      lineStyle: { width: 2, type: 'dotted' },
      symbol: 'none',
      data: [
        [first.at, value],
        [last.at, value],
      ],
    },
  ];
}

function described({ history }: Past, index: number, figures: Figures): string {
  const point = history.points[index];
  if (!point) return '';
  const began = history.changes.find((one) => one.round === point.round);
  const lines = [
    `Round ${point.round} · ${stamp(point.at)}`,
    figures.text(point.bytes_per_second),
    point.round === history.baseline ? '◆ baseline' : '',
    began ? `↕ new level ${change(began.change_percent)}` : '',
  ];
  return lines.filter(Boolean).join('\n');
}
