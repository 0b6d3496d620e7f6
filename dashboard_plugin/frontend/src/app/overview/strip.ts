import { ClusterStrip } from '../../generated/types';

export type StripRow = ClusterStrip['rows'][number];
export type Level = '-' | '0' | '1' | '2' | '3';

/** Neighbours that are alike: how they are, and how many. */
export function runsOf({ cells }: StripRow): readonly { level: Level; length: number }[] {
  const runs = cells.match(/(.)\1*/g) ?? [];
  return runs.map((run) => ({ level: run.charAt(0) as Level, length: run.length }));
}

/** So many times from the begin of the strip to that of its last column, in unix milliseconds. */
export function timesOf(strip: ClusterStrip, count: number): readonly number[] {
  const last = (strip.columns - 1) * strip.column_seconds * 1000;
  return Array.from(
    { length: count },
    (_, index) => Date.parse(strip.from) + (index * last) / (count - 1),
  );
}
