/** What the fake back end says a round would wear, and what clients felt of those before. */

/** @import {ClassWear, ClientImpact} from '../src/generated/types.js' */

const SIZE = 18e12;
const BUDGET = 162e9;

/** @param {string} kind @param {number} osds @param {number} each
 * @returns {{wear: ClassWear[], clients: ClientImpact}} */
export function forecast(kind, osds, each) {
  const wear = {
    class: 'hdd',
    osds,
    bytes_per_osd: each,
    device_bytes: SIZE,
    sizes_unknown: 0,
    full_write_percent: (100 * each) / SIZE,
    rated_writes_per_day: 0.3,
    rated_day_percent: null,
    budget_bytes: BUDGET,
    budget_percent: (100 * each) / BUDGET,
    used_percent: null,
    used_unknown: osds,
  };
  if (kind === 'rados') return { wear: [wear], clients: { state: 'own-clients', rounds: [] } };
  const felt = {
    round: 12,
    at: '2026-07-01T02:00:00Z',
    verdict: /** @type {const} */ ('valid'),
    at_once: 2,
    before_ms: 4.1,
    median_ms: 6.2,
    highest_ms: 12.5,
    times: 6.2 / 4.1,
  };
  return { wear: [wear], clients: { state: 'known', rounds: [felt] } };
}
