import { ClusterStrip } from '../../generated/types';

export type StripRow = ClusterStrip['rows'][number];

/** Rows that are shown: more are no picture. */
export const ROWS = 16;
export type Level = '-' | '0' | '1' | '2' | '3';

/** How much a row stood out: its levels added up. */
export function loudness({ cells }: StripRow): number {
  return Array.from(cells, (cell) => Number(cell) || 0).reduce((sum, level) => sum + level, 0);
}

/** Those that stood out most first, the others as they are. */
export function worstFirst(rows: readonly StripRow[]): readonly StripRow[] {
  return [...rows].sort((a, b) => loudness(b) - loudness(a));
}

/** Neighbours that are alike: how they are, and how many. */
export function runsOf({ cells }: StripRow): readonly { level: Level; length: number }[] {
  const runs = cells.match(/(.)\1*/g) ?? [];
  return runs.map((run) => ({ level: run.charAt(0) as Level, length: run.length }));
}

/** Begin and end of a column in unix seconds. */
export function columnTime(strip: ClusterStrip, column: number): readonly [number, number] {
  const begin = Date.parse(strip.from) / 1000 + column * strip.column_seconds;
  return [begin, begin + strip.column_seconds];
}

/** The column that begins then; null where it is not among them any more. */
export function columnAt(strip: ClusterStrip, begin: number): number | null {
  const column = Math.floor((begin - columnTime(strip, 0)[0]) / strip.column_seconds);
  return column >= 0 && column < (strip.rows[0]?.cells.length ?? 0) ? column : null;
}
