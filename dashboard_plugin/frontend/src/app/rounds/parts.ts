import { Conclusion, Part } from '../../generated/types';

export const OPERATIONS = ['writes', 'reads'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** What one kind of operation did in a part that has begun. */
export interface PartPoint {
  readonly part: Part;
  /** Minutes since the round's first part began: the middle of this one. */
  readonly at: number;
  /** Percent of what the same OSDs did alone before; null: not known. */
  readonly percent: number | null;
  readonly rate: number | null;
  /** It is back where it was, says the module. */
  readonly back: boolean;
}

/** A part on the time axis, in minutes since the round's first part began. */
export interface Span {
  readonly part: Part;
  readonly from: number;
  readonly to: number;
}

/** The parts that have begun; one that goes on reaches to `now` (Unix milliseconds). */
export function spansOf(parts: readonly Part[], now: number): readonly Span[] {
  const first = time(parts.find((part) => part.started_at !== null)?.started_at ?? null, now);
  return parts
    .filter((part) => part.started_at !== null)
    .map((part) => ({
      part,
      from: (time(part.started_at, now) - first) / 60_000,
      to: (time(part.ended_at, now) - first) / 60_000,
    }));
}

export function pointsOf(
  spans: readonly Span[],
  operation: Operation,
  conclusions: readonly Conclusion[],
): readonly PartPoint[] {
  return spans
    .filter(({ part }) => part[operation] !== null)
    .map(({ part, from, to }) => ({
      part,
      at: (from + to) / 2,
      percent: part[operation]?.percent_of_before ?? (part.name === 'before' ? 100 : null),
      rate: part[operation]?.median_bytes_per_second ?? null,
      back: conclusions.some((one) => isBack(one, part.name, operation)),
    }));
}

/** In evidence an operation is "write" or "read". */
function isBack({ code, evidence }: Conclusion, part: string, operation: Operation): boolean {
  return (
    code === 'recovered-after' &&
    evidence['phase'] === part &&
    `${String(evidence['operation'])}s` === operation
  );
}

function time(iso: string | null, now: number): number {
  return iso === null ? now : Date.parse(iso);
}

const NAMES: Readonly<Record<string, string>> = {
  before: 'alone, before',
  together: 'all together',
  after: 'alone, after',
};

/** A part's name in words: "alone, before", "alone, after rest 2"; one of later as it is. */
export function partName(name: string): string {
  const key = NAMES[name];
  if (key) return key;
  const rest = /^rested-(\d+)$/.exec(name)?.[1];
  return rest === undefined ? name : `alone, after rest ${rest}`;
}
