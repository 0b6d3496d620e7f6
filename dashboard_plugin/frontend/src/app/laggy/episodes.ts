import type { EChartsCoreOption } from 'echarts/core';
import { Episode, Suspect } from '../../generated/types';
import { axis, frame, legend, tooltip } from '../charts/options';
import { Palette } from '../charts/palette';
import { duration, share, stamp, whole } from '../core/format';
import { Column, figure, minor, plain } from '../shared/data-table/column';

export const SECONDS = figure(
  'laggy_pg_seconds',
  'PG seconds',
  whole,
  'Laggy PGs times the seconds each was laggy.',
);

/** Who is behind an episode, in words; that nobody is, too. */
export function suspectsText(episode: Episode): string {
  if (episode.stuck) return 'stuck, caused by no OSD';
  const { suspects, suspects_left_out: more } = episode;
  const texts = suspects.map((one) => suspectText(one));
  return [...texts, ...moreText(more)].join('; ') || 'no OSD stands out';
}

/** How many more there are, if any. */
export function moreText(count: number): readonly string[] {
  return count ? [`${count} more`] : [];
}

export function suspectText({ osd, part, stale_seconds: stale }: Suspect): string {
  const words = [`${share(part, 0)} of it`];
  if (stale) words.push(`no report for ${duration(stale)}`);
  return `osd.${osd} (${words.join(', ')})`;
}

/** How long it took; one of a single look has no length, and an open one is over after half a minute. */
function tookText({ seconds }: Episode, laggy: number): string {
  if (seconds !== null) return seconds ? duration(seconds) : 'one look';
  return laggy ? 'still going on' : 'no PG now';
}

/** `laggy` is the number of PGs that are laggy now. */
export function episodeColumns(laggy: number): readonly Column<Episode>[] {
  return [
    plain('from', 'From'),
    {
      key: 'seconds',
      title: 'Took',
      value: (row) => row.seconds,
      text: (row) => tookText(row, laggy),
      sortable: true,
      figure: true,
    },
    {
      key: 'peak',
      title: 'Most PGs at once',
      value: (row) => row.peak,
      sortable: true,
      figure: true,
    },
    minor(SECONDS),
    { key: 'suspects', title: 'Suspects', value: (row) => suspectsText(row) },
    {
      key: 'pools',
      title: 'Pools',
      value: (row) => [...row.pools, ...moreText(row.pools_left_out)].join(', '),
    },
    plain('round', 'Round'),
  ];
}

/** Every episode where it began, as high as it went; those under a round of ours stand out. */
export function episodesOption(
  episodes: readonly Episode[],
  laggy: number,
  colours: Palette,
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
      formatter: (hit: { dataIndex: number }) => described(episodes[hit.dataIndex], laggy),
    },
    dataZoom: [{ type: 'inside', filterMode: 'none' }],
    xAxis: axis(colours, { type: 'time', splitLine: { show: false }, ...untilNow(episodes) }),
    yAxis: axis(colours, { type: 'value', name: 'PGs', min: 0, minInterval: 1 }),
    series: [
      bars('most at once', colours.first, (one) => one.round === null),
      bars('while a round ran', colours.slow, (one) => one.round !== null),
    ],
  });
}

/** At least the last hour: a single episode would stand in the middle of two days. */
function untilNow(episodes: readonly Episode[]): { min: number; max: number } {
  const max = Date.now();
  const begins = episodes.map(({ from }) => Date.parse(from));
  return { min: Math.min(max - 3600_000, ...begins), max };
}

function described(episode: Episode | undefined, laggy: number): string {
  if (!episode) return '';
  const { from, peak, round } = episode;
  const lines = [
    stamp(from),
    tookText(episode, laggy),
    `Most PGs at once: ${peak}`,
    suspectsText(episode),
    round === null ? '' : `Round ${round}`,
  ];
  return lines.filter(Boolean).join('\n');
}
