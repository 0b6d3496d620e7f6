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
