import type { EChartsCoreOption } from 'echarts/core';
import { LastBench } from '../../generated/types';
import { axis, frame, legend, tooltip } from '../charts/options';
import { Palette } from '../charts/palette';
import { inMib, mib, number, percent, stamp } from '../core/format';
import { isSlow } from '../core/slow';
import { I18n } from '../i18n/i18n';

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

const SYMBOLS = ['circle', 'rect', 'diamond', 'triangle'];

export function historyOption(
  series: readonly HistorySeries[],
  colours: Palette,
  t: I18n['t'],
): EChartsCoreOption {
  const lines = [colours.first, colours.second, colours.third, colours.text];
  return frame(colours, {
    legend: legend(colours),
    tooltip: {
      ...tooltip(colours),
      trigger: 'item',
      formatter: (hit: { seriesIndex: number; dataIndex: number }) =>
        described(series[hit.seriesIndex]?.points[hit.dataIndex], t),
    },
    dataZoom: [{ type: 'inside', filterMode: 'none' }],
    xAxis: axis(colours, { type: 'time', splitLine: { show: false } }),
    yAxis: axis(colours, { type: 'value', name: 'MiB/s', min: 0 }),
    series: series.map(({ profile, points }, index) => ({
      type: 'line',
      name: profile,
      symbol: SYMBOLS[index % SYMBOLS.length],
      symbolSize: 8,
      color: lines[index % lines.length],
      data: points.map((bench) => ({
        value: [bench.at, inMib(bench.bytes_per_second)],
        ...(isSlow(bench)
          ? { symbol: 'pin', symbolSize: 16, itemStyle: { color: colours.slow } }
          : {}),
      })),
    })),
  });
}

function described(bench: LastBench | undefined, t: I18n['t']): string {
  if (!bench) return '';
  const figures = `${mib(bench.bytes_per_second)} MiB/s · ${number(bench.iops)} IOPS`;
  const round = `${t('common.round')} ${bench.round} · ${stamp(new Date(bench.at ?? ''))}`;
  return `${round}\n${figures}\n${t('common.peers')}: ${percent(bench.percent_of_peers)}`;
}
