/** The module's options and thresholds. */
import { Refused } from './refused.mjs';

/** @import {ModuleOption, Threshold} from '../src/generated/types.js' */

/** @param {string} name @param {ModuleOption['group']} group @param {ModuleOption['value']} value @param {string} help @param {Partial<ModuleOption>} [more] @returns {ModuleOption} */
function option(name, group, value, help, more = {}) {
  const type = typeof value === 'boolean' ? 'bool' : typeof value === 'number' ? 'int' : 'str';
  const bounds = { min: null, max: null };
  return { name, group, type, value, default: value, ...bounds, help, at_once: true, ...more };
}

export class FakeOptions {
  constructor() {
    /** @type {ModuleOption[]} */
    this.all = [
      option(
        'watch',
        'watch',
        true,
        'watch the latencies of OSDs and the states of placement groups',
      ),
      option('watch_tick_seconds', 'watch', 5, 'seconds between two ticks of the watch', {
        min: 1,
        max: 60,
      }),
      option(
        'detector',
        'thresholds',
        '',
        'changed thresholds of the detector, as KEY=VALUE separated by blanks (see qa/replay --config); read when a mgr becomes active',
        {
          at_once: false,
        },
      ),
      option(
        'guard',
        'rounds',
        true,
        'end a round that harms the cluster, as by slow operations or OSDs going down',
      ),
      option(
        'keep_rounds',
        'history',
        1000,
        'rounds of each profile that are kept; older ones are removed',
        {
          min: 10,
          max: 100_000,
        },
      ),
      option(
        'metrics_port',
        'metrics',
        0,
        'port at which the active mgr serves metrics for Prometheus; 0 for none',
        { min: 0, max: 65535 },
      ),
      option('warn_slow_osd', 'health', true, 'raise the health check PERF_BENCH_SLOW_OSD'),
    ];
  }

  /** @param {string} name @param {unknown} value */
  set(name, value) {
    const index = this.all.findIndex((one) => one.name === name);
    const found = this.all[index];
    if (!found) throw new Refused(404, 'ENOENT', `perf_bench has no option '${name}'`);
    const text = value === undefined ? String(found.default) : String(value);
    const number = Number(text);
    if (found.type === 'int' && !(number >= (found.min ?? 0) && number <= (found.max ?? 1e9))) {
      const sentence = `${name} is a whole number from ${found.min} to ${found.max}, not '${text}'`;
      throw new Refused(400, 'EINVAL', sentence, 'value');
    }
    const read = { bool: text === 'true', int: number, str: text }[found.type];
    this.all[index] = { ...found, value: read };
    return this.all[index];
  }
}

/** @type {Threshold[]} */
export const THRESHOLDS = [
  { name: 'acute_ratio', value: 2, default: 2 },
  { name: 'acute_z', value: 5.5, default: 6 },
  { name: 'sustained_ratio', value: 1.2, default: 1.2 },
];
