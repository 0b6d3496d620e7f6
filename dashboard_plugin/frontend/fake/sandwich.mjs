/** A round in parts, with the figures of the published case: reads stay down for hours, writes do not. */
import { iso } from './cluster.mjs';
import { say } from './say.mjs';

/** @import {Part, RoundLine, Round} from '../src/generated/types.js' */

const MIB = 2 ** 20;
const MINUTE = 60_000;
/** Name, minutes of rest before it, write and read in MB/s. */
const PARTS = /** @type {readonly (readonly [string, number, number, number])[]} */ ([
  ['before', 0, 3998, 5716],
  ['together', 0, 2494, 3190],
  ['after', 0, 3794, 523],
  ['rested-1', 20, 3724, 637],
  ['rested-2', 20, 3860, 609],
  ['rested-3', 30, 3972, 362],
  ['rested-4', 30, 3998, 6581],
]);
const EVERY = 31;

/** Whether a round of the fake cluster has parts. @param {number} id */
export function isSandwich(id) {
  return id % EVERY === 29;
}

/** @param {RoundLine} line @returns {Part[]} */
export function parts(line) {
  if (!isSandwich(line.id)) return [];
  let at = Date.parse(line.started_at ?? '');
  let loaded = Number.NaN;
  return PARTS.map(([name, rest, write, read]) => {
    const started = at + rest * MINUTE;
    at = started + 2 * MINUTE;
    const since = (started - loaded) / 1000;
    if (name === 'together') loaded = at;
    const osds = name === 'together' ? [0, 1, 2, 3, 4, 5, 6, 7] : [0];
    const figure = (/** @type {number} */ rate, /** @type {number} */ before) => ({
      median_bytes_per_second: rate * 1e6,
      median_iops: (rate * 1e6) / (4 * MIB),
      percent_of_before: (100 * rate) / before,
    });
    const own = (/** @type {number} */ rate) => ({
      bytes_per_second: rate * 1e6,
      iops: (rate * 1e6) / (4 * MIB),
      cv_percent: 2.1,
      samples: 3,
    });
    return {
      name,
      rest_seconds: rest * 60,
      started_at: iso(started),
      ended_at: iso(at),
      osds,
      seconds_since_load: Number.isNaN(since) ? null : since,
      writes: figure(write, 3998),
      reads: figure(read, 5716),
      per_osd: osds.map((osd) => ({ osd, host: 'host-0', writes: own(write), reads: own(read) })),
    };
  });
}

/** @returns {Round['conclusions']} */
export function concluded() {
  const [host, osds, what] = ['host-0', [0], say('reads')];
  const rates = (/** @type {number} */ rate) =>
    say('rate-of-before', { rate: (rate * 1e6) / MIB, before: (5716 * 1e6) / MIB });
  return [
    {
      code: 'collapse-together',
      message: say('collapse-together', { what, host, percent: 55.8, rates: rates(3190) }),
      evidence: { host, osds, operation: 'read', percent: 55.8 },
    },
    {
      code: 'degraded-after-load',
      message: say('degraded-after-load', { what, host, percent: 9.1, rates: rates(523) }),
      evidence: { host, osds, operation: 'read', percent: 9.1 },
    },
    {
      code: 'recovered-after',
      message: say('recovered-after', { what, host, percent: 115, span: 108 * 60, rests: 4 }),
      evidence: { host, operation: 'read', minutes: 108, rests: 4, phase: 'rested-4' },
    },
  ];
}
