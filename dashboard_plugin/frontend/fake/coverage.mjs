/** @import { CephAlert, Look } from '../src/generated/types.js' */

const PUSH = "run 'ceph-perf-bench facts --push' on host-2";

/** What is looked at: all OSDs, and not all hosts. @param {number} osds @returns {Look[]} */
export function looks(osds) {
  const why = 'no facts of the host are known';
  const gap = { count: 1, units: ['host-2'], why, help: PUSH, since: null, partly: false };
  return [
    {
      name: 'slow_osds',
      what: 'latencies of OSDs against their peers',
      unit: 'OSD',
      total: osds,
      looked: osds,
      partly: 0,
      complete: true,
      codes: ['PERF_BENCH_SLOW_OSD'],
      gaps: [],
      summary: `all ${osds} OSDs`,
      sentences: [],
    },
    {
      name: 'doctor',
      what: 'settings and hosts',
      unit: 'check',
      total: 30,
      looked: 21,
      partly: 0,
      complete: false,
      codes: ['PERF_BENCH_CONFIG_RISK'],
      gaps: [{ ...gap, code: 'no-facts', count: 9, units: ['CPU_GOVERNOR', 'NUMA_MISSES'] }],
      summary: '21 of 30 checks',
      sentences: [`settings and hosts: 9 of 30 checks could not look: ${why}; ${PUSH}`],
    },
    {
      name: 'multipath',
      what: 'paths to disks',
      unit: 'host',
      total: 3,
      looked: 2,
      partly: 0,
      complete: false,
      codes: ['PERF_BENCH_MULTIPATH_DEGRADED'],
      gaps: [{ ...gap, code: 'no-facts' }],
      summary: '2 of 3 hosts',
      sentences: [`paths to disks: 1 of 3 hosts (host-2) not looked at: ${why}; ${PUSH}`],
    },
  ];
}

/** An alert of Ceph's that is over. @param {string} at @returns {CephAlert[]} */
export function alerts(at) {
  return [
    {
      code: 'BLUESTORE_SLOW_OP_ALERT',
      title: 'Slow operations in BlueStore',
      summary: '1 OSD(s) experiencing slow operations in BlueStore',
      severity: 'warning',
      muted: false,
      osds: [3],
      osds_in_all: 1,
      spread: 'osd',
      spread_text: 'one OSD (osd.3 of host-0)',
      ongoing: 'over',
      ongoing_text: 'over, and not forgotten yet: the last event was 3 h ago; it stays for 24 h',
      first_seen: at,
      last_event: at,
      stays_seconds: 86400,
      slow: [],
      suspect: [],
      unjudged: [],
      peers_text: 'osd.3 as fast as their peers',
      meaning: 'A device or RocksDB took more than bluestore_log_op_age (5 s) for an operation.',
      action: 'If it goes on: look at the device.',
      findings: [],
      tolerated: true,
    },
  ];
}
