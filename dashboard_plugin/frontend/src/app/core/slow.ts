/** Who is slow: by a fifth and more, and clearly so. The module's own conclusion has these bounds. */
export const SLOW_PERCENT = 100 / 1.2;
export const SLOW_Z = -5;

export interface Compared {
  readonly percent_of_peers: number | null;
  readonly robust_z: number | null;
}

export function isSlow(figures: Compared | null): boolean {
  if (!figures || figures.percent_of_peers === null || figures.robust_z === null) return false;
  return figures.percent_of_peers <= SLOW_PERCENT && figures.robust_z <= SLOW_Z;
}

/** Small writes are told in IOPS, large ones in MiB/s: the line at 1 MiB is `osd bench`'s own. */
export function toldInIops(blockSize: number): boolean {
  return blockSize < 2 ** 20;
}
