import type { EChartsCoreOption } from 'echarts/core';
import { ClusterLatency, Event } from '../../generated/types';
import { axis, frame, legend, lineData, tooltip } from '../charts/options';
import { Palette } from '../charts/palette';
import { inMib, milliseconds, number, stamp } from '../core/format';

type Pair = readonly [at: number, value: number | null];

/** The rates that are drawn, by the columns of the answer. */
const RATES = {
  iops: ['read_ops', 'write_ops'],
  bytes: ['read_bytes', 'write_bytes', 'recovery_bytes'],
} as const;
export type Rates = keyof typeof RATES;

const FIGURES = ['median', 'p95', 'p99'] as const;
const NAMES = {
  median: 'Median OSD',
  p95: '95th percentile',
  p99: '99th percentile',
  read_ops: 'Reads',
  write_ops: 'Writes',
  read_bytes: 'Read',
  write_bytes: 'Written',
  recovery_bytes: 'Recovered',
  scrubbing: 'PGs scrubbed',
} as const;

/** Pairs of unix milliseconds and a value, with a gap where a time was not seen. */
function pairs(
  rows: readonly (readonly (number | null)[])[],
  spans: ReadonlyMap<number, number>,
  value: (row: readonly (number | null)[]) => number | null,
): readonly Pair[] {
  return rows.flatMap((row, index) => {
    const at = row[0] ?? 0;
    const seconds = spans.get(at) ?? 0;
    const next = rows[index + 1]?.[0];
    const pair: Pair = [1000 * at, value(row)];
    const gap = typeof next === 'number' && next - at - seconds >= 0.5 * seconds;
    return gap ? [pair, [1000 * (at + seconds), null] as const] : [pair];
  });
}

function spansOf(answer: ClusterLatency): ReadonlyMap<number, number> {
  const place = answer.columns.indexOf('seconds');
  return new Map(answer.work.map((row) => [row[0] ?? 0, row[place] ?? 0]));
}

/** Median, 95th and 99th percentile of a group's OSDs, with what happened as marks. */
export function latencyOption(
  answer: ClusterLatency,
  group: string,
  colours: Palette,
): EChartsCoreOption {
  const rows = answer.groups.find((one) => one.group === group)?.rows ?? [];
  const spans = spansOf(answer);
  const strokes = [colours.first, colours.second, colours.slow];
  const series = FIGURES.map((name, index) => ({
    ...line(NAMES[name], strokes[index] ?? colours.text),
    ...lineData(pairs(rows, spans, (row) => row[index + 2] ?? null)),
    ...(index === 0 ? { markLine: marks(answer.events, colours) } : {}),
  }));
  return overTime(answer, colours, 'ms', series, (value) => `${milliseconds(value)} ms`);
}

/** What clients and recovery do. */
export function workOption(
  answer: ClusterLatency,
  rates: Rates,
  colours: Palette,
): EChartsCoreOption {
  const spans = spansOf(answer);
  const strokes = [colours.first, colours.second, colours.third];
  const series = RATES[rates].map((name, index) => {
    const place = answer.columns.indexOf(name);
    return {
      ...line(NAMES[name], strokes[index] ?? colours.text),
      ...lineData(
        pairs(answer.work, spans, (row) =>
          rates === 'iops' ? (row[place] ?? null) : inMib(row[place]),
        ),
      ),
    };
  });
  const [unit, written] =
    rates === 'iops'
      ? (['1/s', (value: number | null): string => number(value, 0)] as const)
      : (['MiB/s', (value: number | null): string => `${number(value)} MiB/s`] as const);
  return overTime(answer, colours, unit, series, written);
}

function line(name: string, color: string): object {
  return { type: 'line', name, color };
}

function overTime(
  answer: ClusterLatency,
  colours: Palette,
  unit: string,
  series: readonly object[],
  written: (value: number | null) => string,
): EChartsCoreOption {
  return frame(colours, {
    legend: legend(colours),
    tooltip: {
      ...tooltip(colours),
      trigger: 'axis',
      formatter: (hits: readonly { seriesName: string; value: Pair }[]) =>
        [
          stamp(hits[0]?.value[0]),
          ...hits.map(({ seriesName, value }) => `${seriesName} ${written(value[1])}`),
        ].join('\n'),
    },
    dataZoom: [{ type: 'inside', filterMode: 'none' }],
    xAxis: axis(colours, {
      type: 'time',
      min: answer.from,
      max: answer.to,
      splitLine: { show: false },
    }),
    yAxis: axis(colours, { type: 'value', name: unit, min: 0 }),
    series,
  });
}

/** A letter for each kind, beside its colour: F(inding), R(ound), ↻ restart, ↓ down, C(onfig). */
const SIGNS = { finding: '!', round: '▶', restart: '↻', down: '↓', config: '✎' } as const;

export function signOf(kind: Event['kind']): string {
  return SIGNS[kind];
}

function marks(events: readonly Event[], colours: Palette): object {
  const strokes = { finding: colours.slow, down: colours.slow } as Partial<Record<string, string>>;
  return {
    silent: true,
    symbol: 'none',
    animation: false,
    data: events
      .filter(({ at }) => at !== null)
      .map(({ at, kind }) => ({
        xAxis: at,
        lineStyle: { color: strokes[kind] ?? colours.quiet, type: 'dashed', width: 1 },
        label: { formatter: SIGNS[kind], color: strokes[kind] ?? colours.quiet, distance: 1 },
      })),
  };
}

/** The figures at the end, for those who cannot see the chart. */
export function lastLatency(
  answer: ClusterLatency,
  group: string,
): { median: string; p99: string } {
  const last = answer.groups.find((one) => one.group === group)?.rows.at(-1);
  return { median: milliseconds(last?.[2]), p99: milliseconds(last?.[4]) };
}

export function lastRates(answer: ClusterLatency): { read: string; write: string } {
  const last = answer.work.at(-1);
  const of = (name: string): string => number(last?.[answer.columns.indexOf(name)], 0);
  return { read: of('read_ops'), write: of('write_ops') };
}
