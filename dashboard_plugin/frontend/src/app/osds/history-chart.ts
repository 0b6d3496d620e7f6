import type { EChartsCoreOption } from 'echarts/core';
import { LastBench, Limits } from '../../generated/types';
import { axis, frame, tooltip } from '../charts/options';
import { Palette } from '../charts/palette';
import { inMib, mib, number, percent, stamp } from '../core/format';
import { isSlow, toldInIops } from '../core/slow';

/** The benches of one profile, oldest first. */
export interface HistorySeries {
  readonly profile: string;
  readonly points: readonly LastBench[];
}

/** By profile, because figures of different profiles do not compare. */
export function historySeries(history: readonly LastBench[]): readonly HistorySeries[] {
  const measured = history.filter((bench) => bench.bytes_per_second !== null && bench.at !== null);
  const profiles = [...new Set(measured.map((bench) => bench.profile))].sort();
  return profiles.map((profile) => ({
    profile,
    points: measured
      .filter((bench) => bench.profile === profile)
      .sort((a, b) => Date.parse(a.at ?? '') - Date.parse(b.at ?? '')),
  }));
}

/** A profile of small writes: its bytes by its operations tell the size of one. */
function inIops(series: HistorySeries): boolean {
  const found = series.points.find((bench) => bench.iops);
  return toldInIops((found?.bytes_per_second ?? 0) / (found?.iops ?? 1));
}

export function historyOption(
  series: HistorySeries,
  limits: Limits | undefined,
  colours: Palette,
): EChartsCoreOption {
  const iops = inIops(series);
  const slow = { color: colours.slow };
  return frame(colours, {
    tooltip: {
      ...tooltip(colours),
      trigger: 'item',
      formatter: (hit: { dataIndex: number }) => described(series.points[hit.dataIndex]),
    },
    dataZoom: [{ type: 'inside', filterMode: 'none' }],
    xAxis: axis(colours, { type: 'time', splitLine: { show: false } }),
    yAxis: axis(colours, { type: 'value', name: iops ? 'IOPS' : 'MiB/s', min: 0 }),
    series: [
      {
        type: 'line',
        symbol: 'circle',
        symbolSize: 7,
        color: colours.first,
        data: series.points.map((bench) => ({
          value: [bench.at, iops ? bench.iops : inMib(bench.bytes_per_second)],
          ...(isSlow(bench, limits)
            ? { symbol: 'triangle', symbolSize: 11, symbolRotate: 180, itemStyle: slow }
            : {}),
        })),
      },
    ],
  });
}

function described(bench: LastBench | undefined): string {
  if (!bench) return '';
  const figures = `${mib(bench.bytes_per_second)} MiB/s · ${number(bench.iops)} IOPS`;
  const round = `Round ${bench.round} · ${stamp(bench.at)}`;
  return `${round}\n${figures}\nOf peers: ${percent(bench.percent_of_peers)}`;
}
