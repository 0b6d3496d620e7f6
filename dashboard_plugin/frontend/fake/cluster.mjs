/** A cluster made of arithmetic: the same seed gives the same OSDs, rounds and samples. */

import { say } from './say.mjs';

/** @import {Osd, OsdResult, Profile, Round, RoundLine, Sample, LastBench, Verdict} from '../src/generated/types.js' */

const MIB = 2 ** 20;
/** @type {readonly Profile[]} */
export const PROFILES = [
  profile('osd-throughput', '4 MiB writes, fresh objects: bandwidth', 4 * MIB, 1024 * MIB, 3),
  profile('osd-iops', '4 KiB random overwrites: IOPS', 4096, 3000 * 4096, 5),
];

/** @param {string} name @param {string} description @param {number} block @param {number} bytes @param {number} repeats
 * @returns {Profile} */
function profile(name, description, block, bytes, repeats) {
  const prefilled = block < MIB;
  const step = {
    operation: 'write',
    block_size: block,
    total_bytes: bytes,
    object_size: prefilled ? 4 * MIB : 0,
    object_count: prefilled ? 100 : 0,
    prefilled,
  };
  const written = (bytes + step.object_size * step.object_count) * repeats;
  const estimate = { seconds: 34.1 * repeats, bytes_per_osd: written };
  const max_repeats = 2 * repeats;
  const steps = [step];
  return {
    name,
    kind: 'osd',
    description,
    repeats,
    max_repeats,
    max_cv_percent: 10,
    steps,
    estimate,
  };
}

/** A number from 0 to 1 that depends on nothing but its arguments.
 * @param {...number} parts */
export function chance(...parts) {
  let hash = 2166136261;
  for (const part of parts) {
    hash = Math.imul(hash ^ part, 16777619);
    hash ^= hash >>> 15;
    hash = Math.imul(hash, 2246822519);
    hash ^= hash >>> 13;
  }
  return (hash >>> 0) / 2 ** 32;
}

/** About normal, around 0 with deviation 1. @param {...number} parts */
function normal(...parts) {
  let sum = -6;
  for (let index = 0; index < 12; index += 1) sum += chance(...parts, index);
  return sum;
}

const NVME = 'nvme';

export class FakeCluster {
  /** @param {{osds: number, rounds: number, hosts?: number, racks?: number}} size */
  constructor({
    osds,
    rounds,
    hosts = Math.max(1, Math.ceil(osds / 24)),
    racks = Math.max(1, Math.ceil(hosts / 20)),
  }) {
    this.count = osds;
    this.hosts = hosts;
    this.racks = racks;
    /** @type {number} */
    this.rounds = rounds;
    this.begunWith = rounds;
    /** @type {Map<number, RoundLine>} */
    this.lines = new Map();
    /** OSDs in the order of their pace, once somebody asked.
     * @type {number[] | null} */
    this.sorted = null;
    this.begun = Date.UTC(2026, 10, 21, 2, 0, 0) - rounds * 3600_000;
    /** @type {Set<number>} */
    this.removed = new Set();
    /** @type {Map<number, Partial<Round>>} */
    this.changed = new Map();
  }

  /** What an OSD is and where, without what was measured. @param {number} id */
  place(id) {
    const host = Math.floor((id * this.hosts) / this.count);
    const kind = chance(host, 3) < 0.3 ? NVME : 'hdd';
    return {
      host: `host-${host}`,
      class: kind,
      up: chance(id, 11) > 0.002,
      device: kind === NVME ? `nvme${id % 24}n1` : `sd${String.fromCharCode(97 + (id % 24))}`,
    };
  }

  /** @param {number} id @returns {Osd} */
  osd(id) {
    const host = Math.floor((id * this.hosts) / this.count);
    const { class: kind, up, device } = this.place(id);
    return {
      osd: id,
      host: `host-${host}`,
      class: kind,
      up,
      in: up,
      location: {
        root: 'default',
        rack: `rack-${Math.floor((host * this.racks) / this.hosts)}`,
        host: `host-${host}`,
      },
      enclosure: null,
      device,
      model: kind === NVME ? 'FAKE-NV3840' : 'FAKE-ST18000',
      commit_ms: null,
      apply_ms: null,
      read_ms: null,
      write_ms: null,
      queue_ms: null,
      ratio: null,
      robust_z: null,
      risk: null,
      state: 'no-data',
      since: null,
      no_data: null,
      last_bench: this.bench(id, this.newest()),
    };
  }

  /** @param {number} osd */
  host(osd) {
    return `host-${Math.floor((osd * this.hosts) / this.count)}`;
  }

  /** How fast an OSD is in the mean: a few are slow. @param {number} id @param {boolean} nvme */
  #pace(id, nvme) {
    const slow = chance(id, 7) < 0.004 ? 0.35 + 0.4 * chance(id, 8) : 1;
    return (nvme ? 1800 : 190) * slow * (1 + 0.03 * normal(id, 1));
  }

  newest() {
    for (let id = this.rounds; id > 0; id -= 1) if (this.exists(id) && this.#ended(id)) return id;
    return 0;
  }

  /** @param {number} id */
  #ended(id) {
    return this.changed.get(id)?.ended_at !== null;
  }

  /** @param {number} id */
  exists(id) {
    return Number.isInteger(id) && id >= 1 && id <= this.rounds && !this.removed.has(id);
  }

  /** @param {number} round */
  #profile(round) {
    return /** @type {Profile} */ (
      PROFILES[this.changed.get(round)?.profile === 'osd-iops' ? 1 : round % 5 === 4 ? 1 : 0]
    );
  }

  /** @param {number} osd @param {number} round @param {number} repeat */
  #rate(osd, round, repeat) {
    const nvme = chance(Math.floor((osd * this.hosts) / this.count), 3) < 0.3;
    const small = this.#profile(round).name === 'osd-iops';
    const noise = 1 + (round % 9 === 5 ? 0.14 : 0.015) * normal(osd, round, repeat);
    const pace = this.#pace(osd, nvme) * noise;
    return small ? (pace / (nvme ? 36 : 110)) * MIB : pace * MIB;
  }

  /** @param {number} osd @param {number} round @returns {LastBench | null} */
  bench(osd, round) {
    if (!round || chance(osd, 11) <= 0.002) return null;
    const found = this.result(osd, round);
    return {
      round,
      profile: this.#profile(round).name,
      verdict: this.line(round).verdict,
      at: this.line(round).ended_at,
      bytes_per_second: found.median_bytes_per_second,
      iops: found.median_iops,
      cv_percent: found.cv_percent,
      robust_z: found.robust_z,
      percent_of_peers: found.percent_of_peers,
    };
  }

  /** @param {number} osd @param {number} round @returns {OsdResult} */
  result(osd, round) {
    const host = Math.floor((osd * this.hosts) / this.count);
    const nvme = chance(host, 3) < 0.3;
    const { repeats, steps } = this.#profile(round);
    const block = steps[0]?.block_size ?? MIB;
    const rates = Array.from({ length: repeats }, (_, repeat) =>
      this.#rate(osd, round, repeat),
    ).sort((a, b) => a - b);
    const middle = rates[Math.floor(repeats / 2)] ?? 0;
    const mean = rates.reduce((sum, rate) => sum + rate, 0) / repeats;
    const deviation = Math.sqrt(
      rates.reduce((sum, rate) => sum + (rate - mean) ** 2, 0) / (repeats - 1),
    );
    const pace = steps[0]?.prefilled ? (nvme ? 50 : 190 / 110) : nvme ? 1800 : 190;
    const percent = (100 * middle) / (pace * MIB);
    return {
      osd,
      host: `host-${host}`,
      class: nvme ? NVME : 'hdd',
      model: nvme ? 'FAKE-NV3840' : 'FAKE-ST18000',
      samples: repeats,
      seconds: (repeats * (steps[0]?.total_bytes ?? 0)) / middle,
      median_call_seconds: (steps[0]?.total_bytes ?? 0) / middle + 0.2,
      median_bytes_per_second: middle,
      median_iops: middle / block,
      cv_percent: (100 * deviation) / mean,
      robust_z: Math.log(percent / 100) / 0.03,
      percent_of_peers: percent,
    };
  }

  /** @param {number} id @returns {RoundLine} */
  line(id) {
    const line = this.lines.get(id) ?? this.#line(id);
    this.lines.set(id, line);
    return { ...line, .../** @type {Partial<RoundLine>} */ (this.changed.get(id) ?? {}) };
  }

  /** @param {number} id @returns {RoundLine} */
  #line(id) {
    const { name, kind, repeats, steps } = this.#profile(id);
    /** @type {Verdict} */
    const verdict =
      id % 9 === 5 ? 'noisy' : id % 31 === 30 ? 'aborted' : id % 97 === 96 ? 'failed' : 'valid';
    const started = this.begun + id * 3600_000;
    const took = repeats * Math.ceil(this.count / this.hosts) * (name === 'osd-iops' ? 9 : 6.3);
    const slowest = this.#slowest();
    const found = this.result(slowest, id);
    const middle = this.result(this.count >> 1, id);
    /** @type {RoundLine} */
    const line = {
      id,
      unreadable: null,
      profile: name,
      kind: /** @type {'osd'} */ (kind),
      state: verdict === 'aborted' || verdict === 'failed' ? verdict : 'done',
      verdict,
      label: id % 10 === 0 ? `weekly ${id / 10}` : '',
      block_size: steps[0]?.block_size ?? MIB,
      created_at: iso(started - 900),
      started_at: iso(started),
      ended_at: iso(started + took * 1000),
      took_seconds: took,
      summary: {
        osds: this.count,
        osds_measured: this.count,
        median_bytes_per_second: middle.median_bytes_per_second,
        median_iops: middle.median_iops,
        median_cv_percent: middle.cv_percent,
        slowest_osd: slowest,
        slowest_percent_of_peers: found.percent_of_peers,
      },
    };
    return line;
  }

  #slowest() {
    return this.order()[0] ?? 0;
  }

  /** OSDs, the slowest against their peers first. */
  order() {
    this.sorted ??= Array.from({ length: this.count }, (_, id) => id).sort(
      (a, b) => this.#relative(a) - this.#relative(b),
    );
    return this.sorted;
  }

  /** @param {number} osd */
  #relative(osd) {
    return this.result(osd, 1).percent_of_peers ?? 100;
  }

  waves() {
    const per = Math.ceil(this.count / this.hosts);
    return Array.from({ length: per }, (_, turn) =>
      Array.from(
        { length: this.hosts },
        (__, host) => Math.ceil((host * this.count) / this.hosts) + turn,
      ).filter((osd) => osd < this.count),
    );
  }

  /** @param {number} id @param {number} offset @param {number} limit @param {number | null} osd
   * @param {string} search @param {string} sort @returns {Round} */
  round(id, offset, limit, osd, search = '', sort = '') {
    const line = this.line(id);
    const measured = line.summary.osds_measured ?? 0;
    const found = osd === null ? this.#found(id, measured, search, sort) : [osd];
    const chosen = found.slice(offset, offset + limit);
    const { steps, repeats, max_repeats } = this.#profile(id);
    return {
      ...line,
      reasons: reasonsOf(line),
      forced: id % 8 === 7 ? [say('flags', { flags: ['noout'] })] : [],
      conclusions: line.verdict === 'valid' && line.state === 'done' ? this.#conclusions(id) : [],
      resumed: id % 50 === 49 ? 1 : 0,
      tolerated: [],
      context: [],
      phases: [],
      load: null,
      imported: null,
      clients: [],
      workers: [],
      unmeasured: [],
      saturation: null,
      repeats,
      max_repeats,
      step: /** @type {Round['step']} */ (steps[0]),
      waves: this.waves(),
      environment: this.#environment(),
      osds: osd === null ? this.count : 1,
      found: found.length,
      per_osd: chosen.map((one) => this.result(one, id)),
      samples: chosen.flatMap((one) => this.samples(one, id)),
    };
  }

  /** The measured OSDs that match, in order. @param {number} id @param {number} measured @param {string} search @param {string} sort */
  #found(id, measured, search, sort) {
    const ids = this.order().slice(0, measured);
    if (!search && !sort) return ids;
    const rows = ids
      .map((osd) => /** @type {Record<string, any>} */ (this.result(osd, id)))
      .filter((row) =>
        `osd.${row['osd']} ${row['host']} ${row['class']} ${row['model']}`
          .toLowerCase()
          .includes(search.toLowerCase()),
      );
    const key = sort.replace(/^[+-]/, '');
    const sign = sort.startsWith('-') ? -1 : 1;
    if (key) rows.sort((a, b) => sign * (a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : 0));
    return rows.map((row) => Number(row['osd']));
  }

  /** @param {number} id @returns {Round['conclusions']} */
  #conclusions(id) {
    return this.order()
      .slice(0, 5)
      .map((osd) => this.result(osd, id))
      .filter((one) => (one.percent_of_peers ?? 100) < 83.3)
      .map((one) => ({
        code: 'slow-osd',
        message: say('round-slow-osd', {
          osd: one.osd,
          host: one.host,
          percent: one.percent_of_peers,
        }),
        evidence: {
          osd: one.osd,
          percent_of_peers: one.percent_of_peers,
          robust_z: one.robust_z,
          cv_percent: one.cv_percent,
        },
      }));
  }

  #environment() {
    return {
      release: 'fake',
      mgr: 'x',
      fsid: '00000000-0000-4000-8000-000000000000',
      osd_releases: { '20.2.4': this.count },
      osds: this.count,
      osds_up: this.count,
      osds_in: this.count,
      hosts: this.hosts,
      flags: ['sortbitwise', 'noout'],
      health: 'HEALTH_WARN',
      health_checks: ['OSDMAP_FLAGS'],
      pools: 12,
      pgs: 131072,
      pgs_by_state: { 'active+clean': 131072 },
      fill_percent: 61.3,
      client_read_bytes_per_second: 412e6,
      client_write_bytes_per_second: 120e6,
      max_parallel: 64,
      tolerated: [],
      forced: [],
    };
  }

  /** @param {number} osd @param {number} round @returns {Sample[]} */
  samples(osd, round) {
    const { repeats, steps } = this.#profile(round);
    const block = steps[0]?.block_size ?? MIB;
    const bytes = steps[0]?.total_bytes ?? 0;
    const per = Math.ceil(this.count / this.hosts);
    const host = Math.floor((osd * this.hosts) / this.count);
    const wave = osd - Math.ceil((host * this.count) / this.hosts);
    const started = Date.parse(this.line(round).started_at ?? '');
    return Array.from({ length: repeats }, (_, repeat) => {
      const rate = this.#rate(osd, round, repeat);
      return {
        target: `osd.${osd}`,
        phase: 'write',
        repeat,
        wave,
        started_at: iso(started + (repeat * per + wave) * 6300),
        call_seconds: bytes / rate + 0.2,
        bytes,
        block_size: block,
        seconds: bytes / rate,
        bytes_per_second: rate,
        iops: rate / block,
        valid: true,
        why: null,
      };
    });
  }
}

/** @param {number} time */
export function iso(time) {
  return new Date(time).toISOString();
}

/** Why a round is not valid. @param {RoundLine} line */
function reasonsOf(line) {
  if (line.verdict === 'noisy') return [say('noisy', { cv: 12.4, most: 10 })];
  return line.verdict === 'aborted' ? [say('aborted')] : [];
}
