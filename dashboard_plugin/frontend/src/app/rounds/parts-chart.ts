import type { EChartsCoreOption } from 'echarts/core';
import { Conclusion } from '../../generated/types';
import { GRID, axis, frame, legend, tooltip } from '../charts/options';
import { Palette } from '../charts/palette';
import { percent, rate } from '../core/format';
import { Operation, PartPoint, Span, partName, pointsOf } from './parts';

/** A number of two digits on the chart of a phone, which is 240 px wide. */
const NUMBER_SHARE = 0.07;

/** Writes and reads of each part over time, against what the same OSDs did alone before. */
export function partsOption(
  spans: readonly Span[],
  conclusions: readonly Conclusion[],
  colours: Palette,
): EChartsCoreOption {
  const writes = pointsOf(spans, 'writes', conclusions);
  const reads = pointsOf(spans, 'reads', conclusions);
  return frame(colours, {
    grid: { ...GRID, top: 48, bottom: 28 },
    legend: legend(colours),
    tooltip: {
      ...tooltip(colours),
      trigger: 'item',
      formatter: (hit: { seriesIndex: number; dataIndex: number; seriesName: string }) =>
        described((hit.seriesIndex ? reads : writes)[hit.dataIndex], hit.seriesName),
    },
    xAxis: axis(colours, {
      type: 'value',
      name: 'minutes',
      nameLocation: 'middle',
      nameTextStyle: { color: colours.quiet },
      nameGap: 28,
      max: spans.at(-1)?.to,
      // The end of the last part is no round number.
      axisLabel: { showMaxLabel: false },
      splitLine: { show: false },
    }),
    yAxis: axis(colours, { type: 'value', name: '% of alone, before', min: 0 }),
    series: [
      { ...line('writes', writes, colours), ...background(spans, colours) },
      line('reads', reads, colours),
    ],
  });
}

/** Writes are full circles on a line, reads are triangles on a dashed one. */
function line(operation: Operation, points: readonly PartPoint[], colours: Palette): object {
  const writes = operation === 'writes';
  const colour = writes ? colours.first : colours.third;
  return {
    type: 'line',
    name: operation,
    color: colour,
    lineStyle: { width: 2, type: writes ? 'solid' : 'dashed' },
    symbol: writes ? 'circle' : 'triangle',
    symbolSize: writes ? 8 : 10,
    connectNulls: true,
    data: points.map(({ at, percent: value, back }) => ({
      value: [at, value],
      ...(back ? { symbolSize: 15, label: recovered(colours) } : {}),
    })),
  };
}

function recovered(colours: Palette): object {
  return {
    show: true,
    position: 'left',
    formatter: `✓ recovered`,
    color: colours.text,
    fontWeight: 'bold',
  };
}

/** The line that the number of each part stands on: those of near parts stand below each other. */
export function numberLines(spans: readonly Span[]): readonly number[] {
  const end = spans.at(-1)?.to ?? 0;
  const last: number[] = [];
  return spans.map(({ from, to }) => {
    const middle = (from + to) / 2;
    const free = last.findIndex((before) => middle - before >= NUMBER_SHARE * end);
    const line = free < 0 ? last.length : free;
    last[line] = middle;
    return line;
  });
}

/** Where each part stands on the time axis, by its number in the table, and what the OSDs did alone before. */
function background(spans: readonly Span[], colours: Palette): object {
  const lines = numberLines(spans);
  return {
    markLine: {
      symbol: 'none',
      silent: true,
      label: { show: false },
      lineStyle: { color: colours.quiet, type: 'dotted' },
      data: [{ yAxis: 100 }],
    },
    markArea: {
      silent: true,
      label: { color: colours.text, position: 'insideTop', fontSize: 11 },
      data: spans.map(({ part, from, to }, index) => [
        {
          xAxis: from,
          name: String(index + 1),
          label: { distance: 5 + 13 * (lines[index] ?? 0) },
          itemStyle: {
            color: part.name === 'together' ? colours.slow : colours.line,
            opacity: part.name === 'together' ? 0.3 : 0.6,
          },
        },
        { xAxis: to },
      ]),
    },
  };
}

function described(point: PartPoint | undefined, name: string): string {
  if (!point) return '';
  const lines = [
    partName(point.part.name),
    `${name}: ${percent(point.percent)} · ${rate(point.rate)}`,
    point.back ? `✓ recovered` : '',
  ];
  return lines.filter(Boolean).join('\n');
}
