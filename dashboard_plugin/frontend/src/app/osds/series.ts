import { OsdSeries } from '../../generated/types';
import { CHANNELS, Channel } from '../core/channels';

/** How far back one may look, as the API takes it. */
export const SPANS = ['1h', '1d', '30d'] as const;
export type Span = (typeof SPANS)[number];
export const SPAN_NAMES: Readonly<Record<Span, string>> = {
  '1h': 'An hour',
  '1d': 'A day',
  '30d': '30 days',
};

/** A span of a channel. Milliseconds of latency; what is not known is null. */
export interface Point {
  /** Unix milliseconds of its start. */
  readonly at: number;
  readonly seconds: number;
  readonly mean: number | null;
  /** Of the frames in it. */
  readonly max: number | null;
  readonly ops: number | null;
  /** Frames in it that were slow against the peers; the module's limits tell from which ratio on. */
  readonly slow: number | null;
}

/** Those that the OSD has. */
export function channelsOf(series: OsdSeries): readonly Channel[] {
  return CHANNELS.filter((name) => series.channels[name]?.length);
}

export function pointsOf(series: OsdSeries, channel: Channel): readonly Point[] {
  const place = (name: string): number => series.columns.indexOf(name);
  const [at, seconds] = [place('at'), place('seconds')];
  const [mean, max, ops, slow] = ['mean_ms', 'max_ms', 'ops', 'slow_frames'].map(place);
  return (series.channels[channel] ?? []).map((row) => {
    const value = (index: number | undefined): number | null => row[index ?? -1] ?? null;
    return {
      at: 1000 * (value(at) ?? 0),
      seconds: value(seconds) ?? 0,
      mean: value(mean),
      max: value(max),
      ops: value(ops),
      slow: value(slow),
    };
  });
}

/** With a point of nothing in every gap: a line that goes on would tell of what nobody saw. */
export function withGaps(points: readonly Point[]): readonly Point[] {
  return points.flatMap((point, index) => {
    const end = point.at + 1000 * point.seconds;
    const next = points[index + 1];
    if (!next || next.at - end < 500 * point.seconds) return [point];
    return [point, { ...point, at: end, mean: null, max: null, ops: null, slow: null }];
  });
}

/** What all points say together. */
export interface Digest {
  readonly mean: number | null;
  readonly max: number | null;
  /** Spans with slow frames; null: not known yet. */
  readonly bursts: number | null;
  /** Operations a second. */
  readonly rate: number | null;
}

export function digest(points: readonly Point[]): Digest {
  let [sum, weight, max, bursts] = [0, 0, Number.NEGATIVE_INFINITY, 0];
  let [operations, over] = [0, 0];
  for (const { mean, seconds, max: most, slow, ops } of points) {
    if (mean !== null) [sum, weight] = [sum + mean * seconds, weight + seconds];
    max = Math.max(max, most ?? max);
    bursts += slow ? 1 : 0;
    if (ops !== null) [operations, over] = [operations + ops, over + seconds];
  }
  return {
    mean: weight ? sum / weight : null,
    max: Number.isFinite(max) ? max : null,
    bursts: points.some(({ slow }) => slow !== null) ? bursts : null,
    rate: over ? operations / over : null,
  };
}
