/**
 * Who is slow: by a fifth and more, and clearly so; or by half and more, and an outlier. The module's
 * own conclusion has these bounds.
 */
export const SLOW_PERCENT = 100 / 1.2;
const SLOW_Z = -5;
const HALF_PERCENT = 50;
const HALF_Z = -3.5;

export interface Compared {
  readonly percent_of_peers: number | null;
  readonly robust_z: number | null;
}

const NOTHING: Compared = { percent_of_peers: null, robust_z: null };

export function isSlow(figures: Compared | null): boolean {
  const { percent_of_peers: percent, robust_z: z } = figures ?? NOTHING;
  if (percent === null || z === null) return false;
  return (percent <= SLOW_PERCENT && z <= SLOW_Z) || (percent <= HALF_PERCENT && z <= HALF_Z);
}

/** Small writes are told in IOPS, large ones in MiB/s: the line at 1 MiB is `osd bench`'s own. */
export function toldInIops(blockSize: number): boolean {
  return blockSize < 2 ** 20;
}
