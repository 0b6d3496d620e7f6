import type { EChartsCoreOption } from 'echarts/core';
import { Episode, Suspect } from '../../generated/types';
import { axis, frame, legend, tooltip } from '../charts/options';
import { Palette } from '../charts/palette';
import { duration, share, stamp } from '../core/format';
import { Translate } from '../i18n/i18n';
import { Column, minor } from '../shared/data-table/column';
import { secondsColumn } from './laggy-tables';

/** Who is behind an episode, in words; that nobody is, too. */
export function suspectsText(episode: Episode, t: Translate): string {
  if (episode.stuck) return t('laggy.stuck');
  const { suspects, suspects_left_out: more } = episode;
  const texts = suspects.map((one) => suspectText(one, t));
  return [...texts, ...moreText(more, t)].join('; ') || t('laggy.suspects.none');
}

/** How many more there are, if any. */
export function moreText(count: number, t: Translate): readonly string[] {
  return count ? [t('list.more', { count })] : [];
}

export function suspectText({ osd, part, stale_seconds: stale }: Suspect, t: Translate): string {
  const words = [t('laggy.part', { percent: share(part, 0) })];
  if (stale) words.push(t('laggy.stale', { time: duration(stale) }));
  return `osd.${osd} (${words.join(', ')})`;
}

/** How long it took; one of a single look has no length, and an open one is over after half a minute. */
function tookText({ seconds }: Episode, laggy: number, t: Translate): string {
  if (seconds !== null) return seconds ? duration(seconds) : t('laggy.once');
  return t(laggy ? 'laggy.goes-on' : 'laggy.pauses');
}

/** `laggy` is the number of PGs that are laggy now. */
export function episodeColumns(laggy: number, t: Translate): readonly Column<Episode>[] {
  return [
    { key: 'from', title: t('laggy.from'), value: (row) => row.from, sortable: true },
    {
      key: 'seconds',
      title: t('common.took'),
      value: (row) => row.seconds,
      text: (row) => tookText(row, laggy, t),
      sortable: true,
      figure: true,
    },
    {
      key: 'peak',
      title: t('laggy.peak'),
      value: (row) => row.peak,
      sortable: true,
      figure: true,
    },
    minor(secondsColumn(t)),
    { key: 'suspects', title: t('laggy.suspects'), value: (row) => suspectsText(row, t) },
    {
      key: 'pools',
      title: t('laggy.pools'),
      value: (row) => [...row.pools, ...moreText(row.pools_left_out, t)].join(', '),
    },
    { key: 'round', title: t('common.round'), value: (row) => row.round, sortable: true },
  ];
}

/** Every episode where it began, as high as it went; those under a round of ours stand out. */
export function episodesOption(
  episodes: readonly Episode[],
  laggy: number,
  colours: Palette,
  t: Translate,
): EChartsCoreOption {
  const bars = (name: string, color: string, chosen: (one: Episode) => boolean): object => ({
    type: 'bar',
    name,
    color,
    barWidth: 6,
    barGap: '-100%',
    data: episodes.map((one) => [one.from, chosen(one) ? one.peak : null]),
  });
  return frame(colours, {
    legend: legend(colours),
    tooltip: {
      ...tooltip(colours),
      trigger: 'item',
      formatter: (hit: { dataIndex: number }) => described(episodes[hit.dataIndex], laggy, t),
    },
    dataZoom: [{ type: 'inside', filterMode: 'none' }],
    xAxis: axis(colours, { type: 'time', splitLine: { show: false }, ...untilNow(episodes) }),
    yAxis: axis(colours, { type: 'value', name: t('laggy.chart.axis'), min: 0, minInterval: 1 }),
    series: [
      bars(t('laggy.chart.plain'), colours.first, (one) => one.round === null),
      bars(t('laggy.chart.round'), colours.slow, (one) => one.round !== null),
    ],
  });
}

/** At least the last hour: a single episode would stand in the middle of two days. */
function untilNow(episodes: readonly Episode[]): { min: number; max: number } {
  const max = Date.now();
  const begins = episodes.map(({ from }) => Date.parse(from ?? '')).filter(Number.isFinite);
  return { min: Math.min(max - 3600_000, ...begins), max };
}

function described(episode: Episode | undefined, laggy: number, t: Translate): string {
  if (!episode) return '';
  const { from, peak, round } = episode;
  const lines = [
    stamp(from),
    tookText(episode, laggy, t),
    `${t('laggy.peak')}: ${peak}`,
    suspectsText(episode, t),
    round === null ? '' : `${t('common.round')} ${round}`,
  ];
  return lines.filter(Boolean).join('\n');
}
