import type { EChartsCoreOption } from 'echarts/core';
import { OsdChange } from '../../generated/types';
import { GRID, axis, frame, tooltip } from '../charts/options';
import { Palette } from '../charts/palette';
import { change } from '../core/format';
import { stateText } from '../shared/state-badge.component';

/** A change with its interval, in percent, under a name. */
export type IntervalRow = Pick<OsdChange, 'verdict' | 'change_percent' | 'interval_percent'> & {
  readonly name: string;
};

/** What a custom series is given to draw with, as far as it is used here. */
interface Drawing {
  value(dimension: number): number;
  coord(point: readonly number[]): [x: number, y: number];
}

const ROW = 20;
/** What the axes take. */
const AROUND = 64;
const CAP = 4;
const MARK = 5;

/** In pixels. */
export function intervalsHeight(rows: number): number {
  return AROUND + ROW * rows;
}

/** A row each, from above: its interval as a whisker, its change as a mark that tells the verdict. */
export function intervalsOption(
  rows: readonly IntervalRow[],
  least: number | null,
  colours: Palette,
): EChartsCoreOption {
  return frame(colours, {
    grid: { ...GRID, top: 8, bottom: 28 },
    tooltip: {
      ...tooltip(colours),
      trigger: 'item',
      formatter: (hit: { dataIndex: number }) => described(rows[hit.dataIndex]),
    },
    xAxis: axis(colours, {
      type: 'value',
      name: 'change, %',
      nameLocation: 'middle',
      nameTextStyle: { color: colours.quiet },
      nameGap: 28,
    }),
    yAxis: axis(colours, {
      type: 'category',
      inverse: true,
      data: rows.map((row) => row.name),
      axisLabel: { color: colours.text, interval: 0 },
      axisTick: { show: false },
    }),
    series: [
      bounds(least, colours),
      {
        type: 'custom',
        clip: true,
        // Which numbers stand on which axis, so that the axis has room for the intervals.
        encode: { x: [1, 2, 3], y: 0 },
        data: rows.map(({ change_percent: middle, interval_percent: interval }, index) => [
          index,
          interval?.[0] ?? middle,
          middle,
          interval?.[1] ?? middle,
        ]),
        renderItem: ({ dataIndex }: { dataIndex: number }, draw: Drawing) =>
          whisker(rows[dataIndex], draw, colours),
      },
    ],
  });
}

/** No change as a line, and the band of changes that do not count. */
function bounds(least: number | null, colours: Palette): object {
  return {
    type: 'line',
    data: [],
    silent: true,
    markLine: {
      symbol: 'none',
      silent: true,
      label: { show: false },
      lineStyle: { color: colours.quiet, type: 'solid', width: 1 },
      data: [{ xAxis: 0 }],
    },
    markArea: {
      silent: true,
      itemStyle: { color: colours.line, opacity: 0.5 },
      data: least === null ? [] : [[{ xAxis: -least }, { xAxis: least }]],
    },
  };
}

function whisker(row: IntervalRow | undefined, draw: Drawing, colours: Palette): object | null {
  if (typeof row?.change_percent !== 'number') return null;
  const place = (dimension: number): [number, number] =>
    draw.coord([draw.value(dimension), draw.value(0)]);
  const [[low, y], [middle], [high]] = [place(1), place(2), place(3)];
  const colour = colourOf(row, colours);
  const line = (x1: number, y1: number, x2: number, y2: number): object => ({
    type: 'line',
    shape: { x1, y1, x2, y2 },
    style: { stroke: colour, lineWidth: 1.5 },
  });
  return {
    type: 'group',
    children: [
      // What can be pointed at is the whole row of it, and not a line of a pixel.
      {
        type: 'rect',
        shape: { x: low - MARK, y: y - ROW / 2, width: high - low + 2 * MARK, height: ROW },
        style: { fill: 'transparent' },
      },
      line(low, y, high, y),
      line(low, y - CAP, low, y + CAP),
      line(high, y - CAP, high, y + CAP),
      mark(row, middle, y, colour, colours),
    ],
  };
}

function colourOf({ verdict }: IntervalRow, colours: Palette): string {
  if (verdict === 'worse') return colours.slow;
  if (verdict === 'better') return colours.second;
  return verdict === 'same' ? colours.first : colours.quiet;
}

/** ▼ worse, ▲ better, ● the same, ○ inconclusive. */
function mark(
  { verdict }: IntervalRow,
  x: number,
  y: number,
  colour: string,
  colours: Palette,
): object {
  if (verdict === 'worse' || verdict === 'better') {
    const tip = verdict === 'worse' ? MARK : -MARK;
    const points = [
      [x - MARK, y - tip],
      [x + MARK, y - tip],
      [x, y + tip],
    ];
    return { type: 'polygon', shape: { points }, style: { fill: colour } };
  }
  const fill = verdict === 'same' ? colour : colours.surface;
  const style = { fill, stroke: colour, lineWidth: 1.5 };
  return { type: 'circle', shape: { cx: x, cy: y, r: MARK - 1 }, style };
}

function described(row: IntervalRow | undefined): string {
  if (!row) return '';
  const [low, high] = row.interval_percent ?? [null, null];
  const between = `${change(low)} and ${change(high)}`;
  const lines = [
    `${row.name}: ${change(row.change_percent)}, ${stateText(row.verdict)}`,
    low === null ? '' : `Interval ${between}`,
  ];
  return lines.filter(Boolean).join('\n');
}
