import type { EChartsCoreOption } from 'echarts/core';
import { axis, frame, tooltip } from '../charts/options';
import { Palette } from '../charts/palette';
import { number } from '../core/format';
import { fill } from '../shared/fill';

/** So many OSDs have a figure between two bounds. */
export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** Of these, those that are slow against their peers. */
  readonly slow: number;
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
