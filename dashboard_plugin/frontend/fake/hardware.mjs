/** The fake back end's advice, enclosures, paths and capacities. */

/** @import {FakeCluster} from './cluster.mjs' */
/** @import {Advice} from '../src/generated/types.js' */

export class FakeHardware {
  /** @param {FakeCluster} cluster */
  constructor(cluster) {
    this.cluster = cluster;
    /** Nothing is wrong, and no host told anything. */
    this.bare = cluster.count === 0;
  }

  /** @returns {Advice[]} */
  advice() {
    if (this.bare) return [];
    const osds = Array.from({ length: Math.min(this.cluster.count, 40) }, (_, osd) => osd);
    return [
      {
        code: 'ROCKSDB_NO_WAL_LIMIT',
        severity: 'warning',
        target: { kind: 'cluster', id: 'cluster' },
        message:
          'bluestore_rocksdb_options is set without max_total_wal_size, so nothing limits the write-ahead log: it grows over the database, which then lies on the slow device',
        evidence: { option: 'bluestore_rocksdb_options', value: 'compression=kNoCompression' },
        fix: "ceph config set osd bluestore_rocksdb_options 'compression=kNoCompression,max_total_wal_size=1073741824'",
        source: 'ceph.io/en/news/blog/2022/rocksdb-tuning-deep-dive',
        osds,
      },
      {
        code: 'SPILL_OVER',
        severity: 'warning',
        target: { kind: 'osd', id: '3' },
        message: 'osd.3 keeps 2.1 GiB of its database on the slow device, though it has a fast one',
        evidence: { slow_used_bytes: 2_254_857_830, share: 0.07 },
        fix: 'ceph tell osd.3 compact',
        source: "Ceph's documentation, BLUEFS_SPILLOVER",
        osds: [3],
      },
      {
        code: 'CPU_GOVERNOR',
        severity: 'info',
        target: { kind: 'host', id: 'host-1' },
        message: 'the processors of host-1 are governed by powersave: they clock up late',
        evidence: { 'host-1': 'powersave' },
        fix: 'cpupower frequency-set --governor performance',
        source: 'Ceph: A Journey to 1 TiB/s (Clyso, 2024)',
        osds: [],
      },
    ];
  }
}
