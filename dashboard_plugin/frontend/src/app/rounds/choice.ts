import { withQuery } from '../core/route';

/** The chosen rounds after a tick at one of them: two at most, the one chosen first goes first. */
export function toggled(chosen: readonly number[], round: number): readonly number[] {
  if (chosen.includes(round)) return chosen.filter((one) => one !== round);
  return [...chosen, round].slice(-2);
}

/**
 * Whether a round can be ticked beside another: `comparable` with that one are the newest. Of older
 * ones, if there are `more`, nothing is known: they stay.
 */
export function mayBeTicked(
  round: number,
  comparable: ReadonlySet<number>,
  more: boolean,
): boolean {
  return comparable.has(round) || (more && round < Math.min(...comparable));
}

/** Two rounds in the order in which they ran; null while they are not two. */
export function pairOf(chosen: readonly number[]): { a: number; b: number } | null {
  const [a, b] = [...chosen].sort((one, other) => one - other);
  return a === undefined || b === undefined ? null : { a, b };
}

/** Where rounds are compared; with one of them or none, the others are chosen there. */
export function compareRoute(a: number | null, b: number | null): string {
  return withQuery('/history', {
    a: a === null ? null : String(a),
    b: b === null ? null : String(b),
  });
}
