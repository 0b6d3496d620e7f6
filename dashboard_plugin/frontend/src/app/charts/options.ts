import type { EChartsCoreOption } from 'echarts/core';
import { short, tick } from '../core/format';
import { Palette } from './palette';

/** Where the axes stand: their labels are within, their names are not. */
export const GRID = {
  left: 8,
  right: 16,
  top: 32,
  bottom: 8,
  outerBoundsMode: 'same',
  outerBoundsContain: 'axisLabel',
} as const;

/** What all charts have in common. No HTML tooltips: their inline styles need a laxer CSP. */
export function frame(colours: Palette, rest: EChartsCoreOption): EChartsCoreOption {
  return {
    animation: false,
    textStyle: { fontFamily: colours.font, color: colours.text },
    grid: GRID,
    tooltip: tooltip(colours),
    ...rest,
  };
}

export function tooltip(colours: Palette): object {
  return {
    renderMode: 'richText',
    confine: true,
    backgroundColor: colours.surface,
    borderColor: colours.line,
    textStyle: { color: colours.text, fontSize: 12 },
  };
}

/** Figures and times of an axis are written as everywhere else. */
const FORMATTERS: Readonly<Record<string, (value: number) => string>> = {
  value: (value) => short(value),
  time: tick,
};

export function axis(
  colours: Palette,
  { axisLabel, ...rest }: { readonly type: string; readonly [option: string]: unknown },
): object {
  const formatter = FORMATTERS[rest.type];
  return {
    axisLine: { lineStyle: { color: colours.line } },
    axisLabel: { color: colours.quiet, hideOverlap: true, formatter, ...(axisLabel ?? {}) },
    nameTextStyle: { color: colours.quiet, align: 'left' },
    splitLine: { lineStyle: { color: colours.line } },
    ...rest,
  };
}

export function legend(colours: Palette): object {
  return { top: 0, right: 0, textStyle: { color: colours.text }, itemWidth: 14, itemHeight: 10 };
}

/** The data of a line. Points with nothing on either side are circles: a line does not show them. */
export function lineData(data: readonly (readonly [unknown, number | null])[]): object {
  const nothing = (index: number): boolean => (data[index]?.[1] ?? null) === null;
  const alone = data.map((_, index) => !nothing(index) && nothing(index - 1) && nothing(index + 1));
  if (!alone.includes(true)) return { data, symbol: 'circle', showSymbol: false };
  const symbolSize = (_: unknown, { dataIndex }: { readonly dataIndex: number }): number =>
    alone[dataIndex] ? 5 : 0;
  return { data, symbol: 'circle', symbolSize, showSymbol: true, showAllSymbol: true };
}

/** In pixels: a letter at the size of a legend's text on average, what else a name takes, a line. */
const LETTER = 6.5;
const BESIDE = 32;
const LINE = 20;

interface Named {
  readonly name?: string;
}
interface Drawn {
  readonly legend?: { readonly data?: readonly string[] };
  readonly grid?: { readonly top?: number };
  readonly series?: readonly Named[];
  readonly yAxis?: Named | readonly Named[];
}

/**
 * The chart with its legend in lines of its own above the plot, if it does not fit beside the names of
 * the axes: on narrow screens the one stood on the other. `width` is that of the chart, in pixels.
 */
export function fitted(option: EChartsCoreOption, width: number): EChartsCoreOption {
  const { legend: shown, grid, series = [], yAxis = [] } = option as Drawn;
  if (!shown || width === 0) return option;
  const names = shown.data ?? [...new Set(series.flatMap(({ name }) => name ?? []))];
  const units = [yAxis].flat().flatMap(({ name }) => name ?? []);
  const taken = (text: string): number => text.length * LETTER + BESIDE;
  const whole = [...names, ...units].reduce((sum, name) => sum + taken(name), 0);
  if (whole <= width) return option;
  const room = GRID.top + LINE * linesOf(names.map(taken), width);
  const top = Math.max(room, grid?.top ?? 0);
  return { ...option, legend: { ...shown, right: null, left: 0 }, grid: { ...grid, top } };
}

/** In how many lines of this width things of these widths stand. */
function linesOf(widths: readonly number[], width: number): number {
  let [lines, left] = [1, width];
  for (const each of widths) {
    if (each > left && left < width) [lines, left] = [lines + 1, width];
    left -= each;
  }
  return lines;
}
