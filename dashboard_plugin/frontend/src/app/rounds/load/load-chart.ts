import type { EChartsCoreOption } from 'echarts/core';
import { GRID, axis, frame, legend, lineData, tooltip } from '../../charts/options';
import { Palette } from '../../charts/palette';
import { number } from '../../core/format';
import { ClientSeconds, Second } from './seconds';

/** What of a second is drawn, in the axis' unit. */
export interface Drawing {
  readonly unit: string;
  readonly of: (second: Second) => number | null;
  /** What the thick line is. */
  readonly whole: string;
  /** Where the axis of seconds ends at least. */
  readonly until: number;
}

/** Second by second: all clients as one thick line, each of them as a thin one. */
export function loadOption(
  clients: readonly ClientSeconds[],
  whole: readonly Second[],
  { unit, of, whole: name, until }: Drawing,
  colours: Palette,
): EChartsCoreOption {
  const last = Math.max(until, ...clients.map(({ seconds }) => seconds.at(-1)?.second ?? 0));
  const thin = {
    name: 'each client',
    color: colours.third,
    lineStyle: { width: 1, opacity: 0.7 },
  };
  const thick = { name, color: colours.first, lineStyle: { width: 2.5 }, z: 3 };
  return frame(colours, {
    grid: { ...GRID, top: 40, bottom: 28 },
    legend: legend(colours),
    tooltip: {
      ...tooltip(colours),
      trigger: 'axis',
      formatter: (hits: readonly { value: readonly [number, number | null] }[]) =>
        described(hits[0]?.value[0], whole, of, unit, name),
    },
    xAxis: axis(colours, {
      type: 'value',
      name: 'second',
      nameLocation: 'middle',
      nameGap: 28,
      min: 0,
      max: last,
      splitLine: { show: false },
    }),
    yAxis: axis(colours, { type: 'value', name: unit, min: 0 }),
    series: [
      line(whole, of, thick),
      ...(clients.length > 1 ? clients.map(({ seconds }) => line(seconds, of, thin)) : []),
    ],
  });
}

function described(
  at: number | undefined,
  whole: readonly Second[],
  of: Drawing['of'],
  unit: string,
  name: string,
): string {
  const found = whole.find(({ second }) => second === at);
  if (!found) return 'no data';
  return `second ${found.second}\n${name}: ${number(of(found))} ${unit}`;
}

function line(seconds: readonly Second[], of: Drawing['of'], rest: object): object {
  return {
    type: 'line',
    ...lineData(seconds.map((second) => [second.second, of(second)])),
    ...rest,
  };
}
