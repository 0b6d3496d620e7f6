import { Baseline, History, HistoryPoint } from '../../generated/types';
import { inMib, number } from '../core/format';
import { toldInIops } from '../core/slow';

/** A profile's history, and what its baseline had measured: that may lie before all its points. */
export interface Past {
  readonly history: History;
  readonly baseline: Baseline | null;
}

/** Rates of the profile as its figures are told, which is by the size of its blocks. */
export interface Figures {
  readonly unit: string;
  readonly of: (bytesPerSecond: number) => number;
  readonly text: (bytesPerSecond: number) => string;
}

export function figuresOf({ block_size: block }: History): Figures {
  const iops = toldInIops(block);
  const of = (rate: number): number => (iops ? rate / (block || 1) : (inMib(rate) ?? 0));
  const unit = iops ? 'IOPS' : 'MiB/s';
  return { unit, of, text: (rate) => `${number(of(rate), iops ? 0 : 1)} ${unit}` };
}

/** A stretch of rounds on one level, in bytes/s. */
export interface Level {
  readonly from: string | null;
  readonly to: string | null;
  readonly rate: number;
}

/** The levels between the changes, in their order; none where nothing changed. */
export function levelsOf({ points, changes }: History): readonly Level[] {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return [];
  return changes.flatMap((change, index) => {
    const before = { from: first.at, to: change.at, rate: change.bytes_per_second_before };
    const to = changes[index + 1]?.at ?? last.at;
    const after = { from: change.at, to, rate: change.bytes_per_second_after };
    return index === 0 ? [before, after] : [after];
  });
}

/** A round of the history, with what it is beside its figure. */
export interface PastRow extends HistoryPoint {
  readonly mark: 'baseline' | 'change' | '';
}

/** Newest first. */
export function rowsOf({ points, changes, baseline }: History): readonly PastRow[] {
  const began = new Set(changes.map((change) => change.round));
  const markOf = (round: number): PastRow['mark'] =>
    round === baseline ? 'baseline' : began.has(round) ? 'change' : '';
  return points.map((point) => ({ ...point, mark: markOf(point.round) })).reverse();
}
