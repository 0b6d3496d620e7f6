/** The fake cluster over time: an incident in full, the whole cluster, and when who stood out. */
import { chance, iso } from './cluster.mjs';
import { Refused } from './refused.mjs';
import { say } from './say.mjs';

/** @import {FakeWatch} from './watch.mjs' */
/** @import {ClusterInterval, ClusterLatency, ClusterStrip, Event, Finding, HostDetail, Host, Incident, ReportFile} from '../src/generated/types.js' */

const HOUR = 3600;
const BACK = /** @type {Record<string, number>} */ ({
  '1h': HOUR,
  '1d': 24 * HOUR,
  '30d': 720 * HOUR,
});
const COLUMN = 900;
const NOT_AN_EVENT = {
  until: null,
  id: null,
  name: '',
  text: '',
  osds: [],
  osds_left_out: 0,
  before: null,
  after: null,
};

export class FakeOverTime {
  /** @param {FakeWatch} watch @param {() => number} now */
  constructor(watch, now) {
    this.watch = watch;
    this.now = now;
  }

  /** Rows of a time of `since`, as [unix seconds, seconds]. @param {string | null} since */
  #spans(since) {
    const back = BACK[since ?? '1h'];
    if (back === undefined) throw new Refused(400, 'invalid', `since ${since}`, 'since');
    const step = back === HOUR ? 60 : back === 24 * HOUR ? 300 : HOUR;
    const end = Math.floor(this.now() / 1000 / step) * step;
    const count = this.watch.on ? back / step : 0;
    return {
      from: iso((end - back) * 1000),
      to: iso(end * 1000),
      at: Array.from({ length: count }, (_, index) => [end - back + index * step, step]),
    };
  }

  /** @param {number} begin @param {number} end @returns {Pick<Incident, 'events' | 'events_left_out' | 'configuration'>} */
  #events(begin, end) {
    const at = (/** @type {number} */ hours) => this.watch.begun / 1000 - hours * HOUR;
    /** @type {[number, Partial<Event>][]} */
    const all = [
      [
        6,
        {
          kind: 'finding',
          id: 2,
          name: 'PERF_BENCH_SLOW_OSD',
          text: this.watch.finding('2').message,
        },
      ],
      [6.2, { kind: 'config', name: 'osd/osd_max_backfills', before: '1', after: '8' }],
      [6.5, { kind: 'restart', osds: [this.watch.slowOsd, 3] }],
      [7, { kind: 'round', id: 5, name: 'osd-throughput', until: iso((at(7) + 1200) * 1000) }],
      [30.5, { kind: 'down', osds: [4] }],
    ];
    const found = (this.watch.calm ? [] : all)
      .map(([hours, more]) => [at(hours), more])
      .filter(([when]) => Number(when) >= begin && Number(when) < end)
      .map(([when, more]) => ({
        ...NOT_AN_EVENT,
        at: iso(1000 * Number(when)),
        .../** @type {object} */ (more),
      }));
    return {
      events: /** @type {Event[]} */ (/** @type {unknown} */ (found)),
      events_left_out: {},
      configuration: 'told',
    };
  }

  /** @param {string} id @param {URLSearchParams} query @returns {Incident} */
  incident(id, query) {
    const finding = this.watch.finding(id);
    const { kind, id: target } = finding.target;
    const ofHost = /** @type {number[]} */ (finding.evidence['osds'] ?? []);
    const osds = kind === 'osd' ? [Number(target)] : kind === 'host' ? ofHost : [];
    const began = Date.parse(finding.first_seen ?? '') / 1000;
    const { from, to, at } = this.#spans(query.get('since') ?? '1d');
    const rows = at.map(([start = 0, step = 0]) => {
      const noise = chance(start, 31);
      const own = (start < began ? 10 : 41) * (0.9 + 0.2 * noise);
      return [start, step, own, 8 + noise, 10 + noise, 12 + 2 * noise];
    });
    const series = {
      from,
      to,
      channel: query.get('channel') ?? 'commit',
      cohort: 'hdd ACME default',
      osds,
      peers: 63,
      all_peers: this.watch.cluster.count - osds.length,
      columns: ['at', 'seconds', 'own_ms', 'low_ms', 'median_ms', 'high_ms'],
      rows,
    };
    return {
      finding: finding.id,
      began: finding.first_seen,
      osds,
      osd_count: osds.length,
      series: osds.length ? series : null,
      hurts: {
        pgs: osds.length ? 97 * osds.length : null,
        pools: osds.length ? ['rbd', 'cephfs_data'] : [],
        clients: osds.length ? [{ channel: 'client_write', ms: 78.2, others_ms: 19.4 }] : [],
      },
      advice: osds.length
        ? [
            {
              code: 'C_STATES',
              severity: 'warning',
              target: { kind: 'host', id: 'host-1' },
              message: say('advice-deep-c-states', { hosts: ['host-1'], state: 'C6' }),
              evidence: {},
              fix: 'cpupower idle-set -D 10',
              source: 'docs.ceph.com',
              osds,
            },
          ]
        : [],
      more_advice: 0,
      changes_from: iso(1000 * (began - 2 * HOUR)),
      changes_to: iso(1000 * (began + 900)),
      known_seconds: 2 * HOUR + 900,
      scrubbing: { before: 1.2, after: 14.6 },
      ...this.#events(began - 2 * HOUR, began + 900),
    };
  }

  /** @param {Host[]} hosts @param {string} name @param {URLSearchParams} everything @returns {HostDetail} */
  host(hosts, name, everything) {
    const found = hosts.find((one) => one.host === name);
    if (!found) throw new Refused(404, 'not_found', `no host '${name}'`);
    const about = (/** @type {string} */ kind, /** @type {string} */ id) =>
      (kind === 'host' && id === name) || (kind === 'osd' && found.osds.includes(Number(id)));
    return {
      ...found,
      told: found.collected_at
        ? {
            cpu_model: 'ACME 9000',
            cpu_cores: 48,
            cpu_threads: 96,
            cpu_governor: 'powersave',
            cpu_deepest_cstate: 'C6',
            cpu_iommu: null,
            numa_nodes: 2,
            numa_miss_percent: 0.1,
            memory_total_bytes: 256 * 2 ** 30,
            memory_swap_used_bytes: 0,
            memory_thp: 'madvise',
            kernel_release: '6.1.0',
            kernel_nvme_io_timeout_seconds: 30,
            crc32c_bytes_per_second: 2e10,
          }
        : null,
      findings: this.watch
        .findings(everything)
        .filter(({ target }) => about(target.kind, target.id)),
      findings_left_out: 0,
      rounds_osds_left_out: 0,
      rounds: [
        {
          id: 5,
          profile: 'osd-throughput',
          verdict: 'valid',
          ended_at: iso(this.watch.begun - 7 * HOUR * 1000),
          osds: found.osds.length,
          percent_of_peers: 98.4,
          bytes_per_second: 2.1e8,
          iops: 51,
        },
      ],
    };
  }

  /** @param {URLSearchParams} query @returns {ClusterLatency} */
  latency(query) {
    const { from, to, at } = this.#spans(query.get('since'));
    const classes = [...new Set(this.#members().map((osd) => osd.class ?? 'unknown'))].sort();
    const groups = classes.length > 1 ? ['', ...classes] : [''];
    return {
      from,
      to,
      channel: query.get('channel') ?? 'commit',
      channels: ['commit', 'read', 'queue', 'client_read', 'client_write'],
      columns: [
        'at',
        'seconds',
        'read_ops',
        'write_ops',
        'read_bytes',
        'write_bytes',
        'recovery_bytes',
        'scrubbing',
      ],
      work: at.map(([start = 0, step = 0]) => {
        const load = 0.6 + 0.4 * Math.sin(start / 13_751);
        return [start, step, 9000 * load, 4000 * load, 6e8 * load, 2e8 * load, 0, 3];
      }),
      groups: groups.map((group, place) => ({
        group,
        rows: at.map(([start = 0]) => {
          const middle = (group === 'nvme' ? 0.4 : 10) * (1 + 0.2 * chance(start, 41 + place));
          return [start, 40, middle, 1.6 * middle, 3.2 * middle];
        }),
      })),
      ...this.#events(Date.parse(from) / 1000, Date.parse(to) / 1000),
    };
  }

  #members() {
    return Array.from({ length: this.watch.cluster.count }, (_, id) => this.watch.cluster.osd(id));
  }

  /** @returns {ClusterStrip} */
  strip() {
    const now = this.now() / 1000;
    const first = Math.ceil((now - 24 * HOUR) / COLUMN) * COLUMN;
    const members = this.#members();
    const byHost = members.length > 500;
    const rows = new Map();
    for (const { osd, host } of members) {
      const name = byHost ? host : `osd.${osd}`;
      const bad = host === this.watch.slowHost || osd === this.watch.slowOsd;
      const row = rows.get(name) ?? { name, host, osds: 0, bad: false };
      rows.set(name, { ...row, osds: row.osds + 1, bad: row.bad || bad });
    }
    return {
      from: iso(1000 * first),
      column_seconds: COLUMN,
      rows_are: byHost ? 'host' : 'osd',
      rows: [...rows.values()].map(({ bad, ...row }, at) => ({
        ...row,
        cells: Array.from({ length: 96 }, (_, column) => {
          if (!this.watch.on || column < 4) return '-';
          if (column === 40 && at % 3 === 0) return '2';
          if (this.watch.calm || !bad) return '0';
          return column > 72 ? '3' : '0';
        }).join(''),
      })),
      left_out: 0,
      loud_left_out: 0,
      partial: [],
    };
  }

  /** @param {URLSearchParams} query @returns {ReportFile} */
  report(query) {
    const kind = query.get('as') ?? 'html';
    const text =
      kind === 'html' ? '<!DOCTYPE html>\n<title>Ceph performance</title>\n' : '# Report\n';
    return { name: `perf-bench-2026-11-21.${kind}`, text: kind === 'json' ? '{}\n' : text };
  }

  /** @param {URLSearchParams} query @returns {ClusterInterval} */
  interval(query) {
    const [begin, end] = [Number(query.get('begin')), Number(query.get('end'))];
    if (!(begin < end)) throw new Refused(400, 'invalid', 'an interval', 'from');
    const { slowHost, slowOsd } = this.watch;
    const host = this.watch.cluster.count ? this.watch.cluster.osd(slowOsd).host : '';
    return {
      from: iso(1000 * begin),
      to: iso(1000 * end),
      known_seconds: end - begin,
      differences: [
        { kind: 'host', name: slowHost, value: 8, usual: 8, share: 1, host: null },
        { kind: 'osd', name: String(slowOsd), value: 600, usual: null, share: 0.67, host },
        {
          kind: 'latency',
          name: 'client_write',
          value: 31.2,
          usual: 19.4,
          share: 1.61,
          host: null,
        },
        { kind: 'work', name: 'write_bytes', value: 4e8, usual: 2e8, share: 2, host: null },
      ],
      differences_left_out: 0,
      ...this.#events(begin, end),
    };
  }
}
