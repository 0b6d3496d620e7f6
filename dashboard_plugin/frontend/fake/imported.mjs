/** The fake back end's rounds that another tool measured. */
import { say } from './say.mjs';

/** @import {Imported, Job, Round} from '../src/generated/types.js' */

/** @param {Record<string, unknown>} body @returns {Imported | null} */
export function importedOf(body) {
  try {
    JSON.parse(String(body['results'] ?? ''));
  } catch {
    return null;
  }
  const tool = body['as'] === 'elbencho' ? 'elbencho' : 'fio';
  return { tool, version: `${tool}-3.33`, jobs: [job('read', 812e6), job('write', 301e6)] };
}

/** @param {string} operation @param {number} rate @returns {Job} */
function job(operation, rate) {
  const [seconds, block] = [30.2, 2 ** 20];
  const operations = Math.round((rate * seconds) / block);
  return {
    ...{ name: 'mixed', operation, seconds, bytes: operations * block },
    ...{ bytes_per_second: rate, operations, iops: rate / block, block_size: block },
    ...{ mean_latency: 0.0121, min_latency: 0.0008, max_latency: 0.31 },
    ...{ p50_latency: 0.0109, p95_latency: 0.0231, p99_latency: 0.0402 },
  };
}

/** A round without what only our own have. @param {Round} round @returns {Round} */
export function imported(round) {
  const nothing = { per_osd: [], samples: [], osds: 0, waves: [], phases: [], conclusions: [] };
  return {
    ...round,
    ...nothing,
    reasons: [say('import-once', { tool: round.kind })],
    environment: { tool: round.kind },
    forced: [],
    tolerated: [],
  };
}
