import { Limits } from '../../generated/types';

export interface Compared {
  readonly percent_of_peers: number | null;
  readonly robust_z: number | null;
}

/** Whether a bench was slow, by the module's own bounds; false where it does not tell them. */
export function isSlow(figures: Compared | null, limits: Limits | undefined): boolean {
  const { percent_of_peers: percent, robust_z: z } = figures ?? {};
  if (typeof percent !== 'number' || typeof z !== 'number' || !limits) return false;
  return (
    (percent <= limits.slow_percent && z <= limits.slow_z) ||
    (percent <= limits.half_percent && z <= limits.half_z)
  );
}

/** Small writes are told in IOPS, large ones in MiB/s: the line at 1 MiB is `osd bench`'s own. */
export function toldInIops(blockSize: number): boolean {
  return blockSize < 2 ** 20;
}
