/** The fake back end's advice, enclosures, paths and capacities. */

import { iso } from './cluster.mjs';
import { Refused } from './refused.mjs';
import { say } from './say.mjs';

/** @import {FakeCluster} from './cluster.mjs' */
/** @import {Advice, Bay, Capacity, Enclosure, Host, Multipath, Worker} from '../src/generated/types.js' */

const SLOTS = 60;

export class FakeHardware {
  /** @param {FakeCluster} cluster @param {() => number} now */
  constructor(cluster, now) {
    this.cluster = cluster;
    this.now = now;
    /** Whether the proposals of mClock have been set. */
    this.applied = false;
    this.scheduler = 'mclock_scheduler';
    /** Nothing is wrong, and no host told anything. */
    this.bare = cluster.count === 0;
    /** @type {Enclosure[] | null} */
    this.shelves = null;
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
        message: say('advice-no-wal-limit', {
          option: 'bluestore_rocksdb_options',
          osds,
          limit: 'max_total_wal_size',
        }),
        evidence: { option: 'bluestore_rocksdb_options', value: 'compression=kNoCompression' },
        fix: "ceph config set osd bluestore_rocksdb_options 'compression=kNoCompression,max_total_wal_size=1073741824'",
        source: 'ceph.io/en/news/blog/2022/rocksdb-tuning-deep-dive',
        osds,
      },
      {
        code: 'SPILL_OVER',
        severity: 'warning',
        target: { kind: 'osd', id: '3' },
        message: say('advice-spills-over', { slow: 2_254_857_830, osds: [3] }),
        evidence: { largest_slow_bytes: 2_254_857_830, share: 0.07 },
        fix: 'ceph tell osd.3 compact',
        source: "Ceph's documentation, BLUEFS_SPILLOVER",
        osds: [3],
      },
      {
        code: 'CPU_GOVERNOR',
        severity: 'info',
        target: { kind: 'host', id: 'host-1' },
        message: say('advice-cpu-governor', { hosts: ['host-1'], governor: 'powersave' }),
        evidence: { 'host-1': 'powersave' },
        fix: 'cpupower frequency-set --governor performance',
        source: 'Ceph: A Journey to 1 TiB/s (Clyso, 2024)',
        osds: [],
      },
    ];
  }

  /** Made once: of a large cluster there are many. @returns {Enclosure[]} */
  enclosures() {
    this.shelves ??= this.bare ? [] : this.#enclosures();
    return this.shelves;
  }

  /** @returns {Enclosure[]} */
  #enclosures() {
    const half = Math.floor(this.cluster.count / 2);
    const [first, second] = [Math.min(58, half), Math.min(24, half - 4)];
    return [
      this.#top(first),
      this.#shelf('0x50080e52f1d4a000', 24, first, second),
      this.#shared('0x50080e52f1d4b000', first + second),
      {
        ...this.#shelf('rack-9-shelf', 0, first + second + 2, 2),
        serial: null,
        vendor: null,
        model: null,
        paths: {},
        source: 'map',
        slots: [0, 1].map((at) => ({ ...this.#bay(first + second + 2 + at), slot: null })),
        elements: [],
      },
      ...this.#full(first + second + 4),
    ];
  }

  /** The other OSDs, in shelves of sixty slots that are full. @param {number} from @returns {Enclosure[]} */
  #full(from) {
    const shelves = Math.max(0, Math.floor((this.cluster.count - from) / SLOTS));
    return Array.from({ length: shelves }, (_, at) =>
      this.#shelf(`0x5000c500b${String(at).padStart(7, '0')}`, SLOTS, from + at * SLOTS, SLOTS),
    );
  }

  /** Sixty slots, three OSDs down, and a bad power supply. @param {number} osds @returns {Enclosure} */
  #top(osds) {
    const shelf = this.#shelf('0x5000c500a1b2c3d4', 60, 0, osds);
    const slot = say('of-osds', { part: say('slot', { slot: 7 }), osds: [7] });
    const slots = shelf.slots.map((bay, at) => {
      if ([3, 4, 5].includes(at)) return { ...bay, osd_state: 'down' };
      if (at === 7) return { ...bay, status: 'critical', fault: true };
      if (at === 9) return { ...bay, osd_state: 'slow' };
      return bay;
    });
    return {
      ...shelf,
      hosts: ['host-0', 'host-1'],
      paths: { 'host-0': 2, 'host-1': 1 },
      state: 'fault',
      osds_down: 3,
      suspects: [
        say('enclosure-fallen', { count: 3, all: osds, osds: [3, 4, 5] }),
        say('bad-parts', { parts: [critical('PSU 1'), critical(slot)] }),
      ],
      slots,
      elements: [
        { type: 'cooling', name: 'Fan 0', status: 'OK' },
        { type: 'cooling', name: 'Fan 1', status: 'noncritical' },
        { type: 'power supply', name: 'PSU 0', status: 'OK' },
        { type: 'power supply', name: 'PSU 1', status: 'critical' },
      ],
    };
  }

  /** Two OSDs on one drive, with their DBs on another. @param {string} id @param {number} from @returns {Enclosure} */
  #shared(id, from) {
    const shelf = this.#shelf(id, 12, from, 2);
    const [bay = EMPTY, , ...rest] = shelf.slots;
    const osds = [from, from + 1];
    const db = { ...bay, slot: 1, osd: null, osds: [], db_of: osds, device: 'nvme0n1' };
    return { ...shelf, slots: [{ ...bay, osds }, db, ...rest] };
  }

  /** @param {string} id @param {number} slots @param {number} from @param {number} osds @returns {Enclosure} */
  #shelf(id, slots, from, osds) {
    const bays = Array.from({ length: slots }, (_, slot) => ({
      ...(slot < osds ? this.#bay(from + slot) : EMPTY),
      slot,
    }));
    const host = this.cluster.host(from);
    return {
      id,
      serial: `SHX${slots}`,
      vendor: 'FAKE',
      model: `J${slots}`,
      hosts: [host],
      missing_on: [],
      paths: { [host]: 2 },
      source: 'facts',
      state: 'ok',
      suspects: [],
      osds,
      osds_down: 0,
      slots: bays,
      elements: [{ type: 'cooling', name: 'Fan 0', status: 'OK' }],
    };
  }

  /** @param {number} osd @returns {Bay} */
  #bay(osd) {
    const { host, device } = this.cluster.place(osd);
    return { ...EMPTY, osd, osds: [osd], host, device, status: 'OK', osd_state: 'ok' };
  }

  /** @param {string} id @returns {Enclosure} */
  enclosure(id) {
    const found = this.enclosures().find((one) => one.id === id);
    if (!found)
      throw new Refused(
        404,
        'ENOENT',
        `no enclosure '${id}': 'ceph perf-bench enclosure ls' lists those there are`,
      );
    return found;
  }

  /** One disk lost a path, one does so again and again, one OSD stands on a bare path. @returns {Multipath[]} */
  multipaths() {
    if (this.bare) return [];
    /** @type {Readonly<Record<number, Multipath['state']>>} */
    const states = { 1: 'degraded', 2: 'flapping', 3: 'bare' };
    return Array.from({ length: this.cluster.count }, (_, osd) => {
      const { host, device } = this.cluster.place(osd);
      const state = states[osd] ?? 'ok';
      const paths = [
        {
          device: device ?? '',
          hctl: `0:0:${osd}:0`,
          state: state === 'degraded' ? 'failed' : 'active',
        },
        { device: `${device}x`, hctl: `1:0:${osd}:0`, state: 'active' },
      ];
      return {
        osd,
        osds: [osd],
        db_of: [],
        host,
        name: `mpath${osd}`,
        wwid: `3500${osd}`,
        paths: state === 'bare' ? paths.slice(0, 1) : paths,
        expected: 2,
        active: state === 'degraded' || state === 'bare' ? 1 : 2,
        drops: state === 'flapping' ? 4 : 0,
        state,
      };
    });
  }

  /** Three are far from what was measured. @returns {Capacity[]} */
  capacities() {
    const used = this.scheduler === 'mclock_scheduler';
    return Array.from({ length: this.cluster.count }, (_, osd) => {
      const measured = osd < 4 ? 160 + osd : osd === 4 ? null : 318;
      const far = used && osd > 0 && osd < 4 && !this.applied;
      const set = used && osd > 0 && osd < 4 && this.applied;
      const verdict = !used ? 'unused' : far ? 'far' : measured === null ? 'unmeasured' : 'ok';
      return {
        osd,
        class: 'hdd',
        option: 'osd_mclock_max_capacity_iops_hdd',
        configured_iops: set ? measured : 315,
        measured_iops: measured,
        round: measured === null ? null : this.cluster.newest(),
        plausible: [50, 500],
        consent: false,
        rounds: 1,
        source: set ? 'osd' : 'default',
        verdict,
        proposed: far ? measured : null,
      };
    });
  }

  /** @param {boolean} apply */
  tune(apply) {
    const before = this.applied;
    this.applied = apply;
    return { changed: before === apply ? [] : [1, 2, 3], left: 0 };
  }

  /** @returns {Worker[]} */
  workers() {
    return WORKERS.map((state, at) => ({
      id: `node-${at}`,
      host: `node-${at}`,
      version: state === 'mismatched' ? '0.0.1' : '1.0.0',
      state,
      last_seen: iso(this.now() - (state === 'lost' ? 600_000 : 0)),
      clock_offset: state === 'lost' ? null : at * 0.0013,
      clock_error: state === 'lost' ? null : 0.0008,
      instance: `00${at}`,
      ...NOTES[state],
    }));
  }

  /** @returns {Host[]} */
  hosts() {
    /** @type {Map<string, number[]>} */
    const all = new Map();
    for (let osd = 0; osd < this.cluster.count; osd += 1) {
      const host = this.cluster.host(osd);
      all.set(host, [...(all.get(host) ?? []), osd]);
    }
    return [...all].map(([host, osds], at) => {
      const age = at === 1 ? 3 * 86_400 : 600;
      const told = at !== 2;
      const at_ = told ? iso(this.now() - age * 1000) : null;
      return {
        host,
        osds,
        collected_at: at_,
        received_at: at_,
        age_seconds: told ? age : null,
        source: told ? 'host' : null,
        sections: told ? ['enclosures', 'multipath', 'block'] : [],
        enclosures: told ? 1 : null,
        multipath: told ? 24 : null,
        disks: told ? 26 : null,
      };
    });
  }
}

/** @param {string | ReturnType<typeof say>} part */
function critical(part) {
  return say('part-is', { part, status: 'critical' });
}

/** @type {Record<Worker['state'], Pick<Worker, 'note'>>} */
const NOTES = {
  ready: { note: '' },
  busy: { note: '' },
  duplicate: { note: '' },
  lost: { note: say('worker-silent') },
  mismatched: { note: say('worker-version', { version: '0.0.1', own: '1.0.0' }) },
};
/** @type {Worker['state'][]} */
const WORKERS = ['ready', 'busy', 'lost', 'mismatched'];

/** @type {Bay} */
const EMPTY = {
  slot: null,
  osd: null,
  osds: [],
  db_of: [],
  host: null,
  device: null,
  status: 'not installed',
  fault: false,
  osd_state: null,
};
