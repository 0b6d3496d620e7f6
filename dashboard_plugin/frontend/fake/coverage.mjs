import { say } from './say.mjs';

/** @import { CephAlert, Look } from '../src/generated/types.js' */

/** What is looked at: all OSDs, and not all hosts. @param {number} osds @returns {Look[]} */
export function looks(osds) {
  const push = say('push-on', { command: 'ceph-perf-bench facts --push', hosts: ['host-2'] });
  const why = say('no-facts');
  const because = say('gap-help', { why, help: push });
  const gap = {
    why,
    help: push,
    units: ['host-2'],
    since: null,
    command: null,
    on: [],
    on_in_all: 0,
    partly: false,
  };
  const osd = say('unit-osd', { count: osds });
  const checks = say('unit-check', { count: 30 });
  const hosts = say('unit-host', { count: 3 });
  return [
    {
      name: 'slow_osds',
      unit: 'OSD',
      total: osds,
      looked: osds,
      partly: 0,
      complete: true,
      codes: ['PERF_BENCH_SLOW_OSD'],
      gaps: [],
      what: say('look-slow-osds'),
      summary: say('looked-all', { total: osds, units: osd }),
      sentences: [],
    },
    {
      name: 'doctor',
      unit: 'check',
      total: 30,
      looked: 21,
      partly: 2,
      complete: false,
      codes: ['PERF_BENCH_CONFIG_RISK'],
      gaps: [
        { ...gap, code: 'no-facts', count: 9, units: ['CPU_GOVERNOR', 'NUMA_MISSES'] },
        { ...gap, code: 'no-facts', count: 2, units: ['SWAPPING', 'CLOCK'], partly: true },
      ],
      what: say('look-doctor'),
      summary: say('looked-some', { looked: 21, units: checks }),
      sentences: [
        missing('look-doctor', 9, checks, say('could-not-look', { why: because })),
        missing('look-doctor', 2, checks, say('could-look-partly', { why: because })),
      ],
    },
    {
      name: 'multipath',
      unit: 'host',
      total: 3,
      looked: 2,
      partly: 0,
      complete: false,
      codes: ['PERF_BENCH_MULTIPATH_DEGRADED'],
      gaps: [{ ...gap, code: 'no-facts', count: 1 }],
      what: say('look-paths'),
      summary: say('looked-some', { looked: 2, units: hosts }),
      sentences: [missing('look-paths', 1, hosts, say('not-looked', { why: because }), ['host-2'])],
    },
  ];
}

/** @param {string} what @param {number} count @param {string} units @param {string} looked
 * @param {string[]} [names] */
function missing(what, count, units, looked, names) {
  const some = say('gap-some', { count, units });
  const many = names ? say('gap-named', { many: some, names }) : some;
  return say('gap', { what: [say(what)], missing: say('gap-many', { many, looked }) });
}

/** An alert of Ceph's. @returns {CephAlert[]} */
export function alerts() {
  const osds = [3];
  const last = say('alert-last', { span: 10_800, stays: say('alert-stays', { span: 86_400 }) });
  return [
    {
      code: 'BLUESTORE_SLOW_OP_ALERT',
      summary: '1 OSD(s) experiencing slow operations in BlueStore',
      severity: 'warning',
      muted: false,
      osds,
      osds_in_all: 1,
      spread: 'osd',
      ongoing: 'over',
      stays_seconds: 86400,
      slow: [],
      slow_in_all: 0,
      suspect: [],
      suspect_in_all: 0,
      unjudged: [],
      unjudged_in_all: 0,
      title: say('bluestore-slow-op-alert-title'),
      meaning: say('bluestore-slow-op-alert-meaning'),
      action: say('bluestore-slow-op-alert-action'),
      spread_text: say('spread-osd', {
        osd: say('osd-of-host', { osd: 'osd.3', host: 'host-0' }),
      }),
      ongoing_text: say('alert-ongoing', { state: say('alert-is-over'), why: last }),
      peers_text: say('osds-are', { osds, what: say('peers-alike', { osds }) }),
      findings: [],
      tolerated: true,
    },
  ];
}
