/** How the figures of a fake round are distributed, and the round as a file. */
import { LIMITS } from './limits.mjs';

/** @import {Distribution, Histogram, OsdResult, RoundFile, Sample, Span} from '../src/generated/types.js' */
/** @import {FakeCluster} from './cluster.mjs' */

/** OSDs in a part of a file. */
const PIECE = 500;

/** @param {FakeCluster} cluster @param {number} id @returns {Distribution} */
export function distribution(cluster, id) {
  const { osds, per_osd, samples } = cluster.round(id, 0, cluster.count, null);
  const medians = new Map(per_osd.map((row) => [row.osd, row.median_bytes_per_second]));
  /** @type {Map<string, typeof samples>} */
  const waves = new Map();
  for (const sample of samples) {
    const key = `${sample.repeat}/${sample.wave}`;
    waves.set(key, [...(waves.get(key) ?? []), sample]);
  }
  return {
    id,
    osds,
    histograms: {
      percent_of_peers: histogram(per_osd, (row) => row.percent_of_peers),
      bytes_per_second: histogram(per_osd, (row) => row.median_bytes_per_second),
      iops: histogram(per_osd, (row) => row.median_iops),
    },
    waves: [...waves.values()].sort(byBegin).map((found) => ({
      at: found.map((one) => one.started_at ?? '').sort()[0] ?? null,
      phase: 'write',
      repeat: found[0]?.repeat ?? 0,
      wave: found[0]?.wave ?? 0,
      waves: 1,
      spans: {
        bytes_per_second: span(found.map((one) => one.bytes_per_second ?? 0)),
        iops: span(found.map((one) => one.iops ?? 0)),
        percent_of_own: span(
          found.map((one) => {
            const own = medians.get(Number(one.target.slice(4))) ?? 1;
            return (100 * (one.bytes_per_second ?? 0)) / own;
          }),
        ),
      },
    })),
  };
}

/** @param {FakeCluster} cluster @param {number} id @param {URLSearchParams} query @returns {RoundFile} */
export function file(cluster, id, query) {
  const part = Number(query.get('part') ?? 0);
  const parts = Math.max(1, Math.ceil(cluster.count / PIECE));
  const { per_osd } = cluster.round(id, part * PIECE, PIECE, null);
  const lines = per_osd.map((row) => `osd.${row.osd},${row.median_iops}\n`);
  return { id, part, parts, text: `${part ? '' : 'target,iops\n'}${lines.join('')}` };
}

/** @param {Sample[]} a @param {Sample[]} b */
function byBegin(a, b) {
  return (a[0]?.started_at ?? '') < (b[0]?.started_at ?? '') ? -1 : 1;
}

/** @param {OsdResult[]} rows @param {(row: OsdResult) => number | null} figure @returns {Histogram | null} */
function histogram(rows, figure) {
  const known = rows.map(figure).filter((value) => value !== null);
  const late = rows
    .filter(isSlow)
    .map(figure)
    .filter((value) => value !== null);
  if (known.length === 0) return null;
  const { low, median, high } = span(known);
  const width = (high - low) / 20 || 1;
  const first = Math.floor(low / width);
  /** @param {number[]} values @returns {number[]} */
  const counted = (values) => {
    const counts = new Array(Math.floor(high / width) - first + 1).fill(0);
    for (const value of values) counts[Math.floor(value / width) - first] += 1;
    return counts;
  };
  const [counts, slow] = [counted(known), counted(late)];
  return { first, width, counts, slow, count: known.length, low, median, high };
}

/** @param {OsdResult} row */
export function isSlow({ percent_of_peers: percent, robust_z: z }) {
  if (percent === null || z === null) return false;
  return (
    (percent <= LIMITS.slow_percent && z <= LIMITS.slow_z) ||
    (percent <= LIMITS.half_percent && z <= LIMITS.half_z)
  );
}

/** @param {number[]} values @returns {Span} */
function span(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return {
    low: sorted[0] ?? 0,
    median: sorted[sorted.length >> 1] ?? 0,
    high: sorted.at(-1) ?? 0,
  };
}
