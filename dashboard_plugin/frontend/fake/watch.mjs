/** What the fake cluster's watch sees: one slow OSD with bursts, one slow host, a laggy evening. */
import { chance, iso } from './cluster.mjs';
import { Refused } from './refused.mjs';
import { say } from './say.mjs';

/** @import {FakeCluster} from './cluster.mjs' */
/** @import {Cohort, Episode, Finding, Laggy, Osd, OsdDetail, OsdLatency, OsdSeries, OsdWhy, Problem, Status} from '../src/generated/types.js' */

const HOUR = 3600_000;
const CHANNELS = ['commit', 'read', 'queue', 'client_read', 'client_write'];
/** @type {readonly Osd['state'][]} */
const STATES = ['ok', 'suspect', 'slow', 'no-data'];
/** How long a span of a series is, by how far back one asks, in seconds. */
const SPANS = /** @type {const} */ ([
  [3 * 3600, 60],
  [2 * 86400, 300],
  [30 * 86400, 3600],
]);
const UNITS = /** @type {Record<string, number>} */ ({ m: 60, h: 3600, d: 86400, w: 604800 });

export class FakeWatch {
  /** @param {FakeCluster} cluster @param {() => number} now */
  constructor(cluster, now) {
    this.cluster = cluster;
    this.now = now;
    /** Nothing is wrong, and nothing was. */
    this.calm = cluster.count === 0;
    this.on = true;
    /** @type {string | null} */
    this.problem = null;
    this.begun = now();
    /** @type {Map<number, string>} */
    this.muted = new Map([[4, iso(this.begun + 20 * HOUR)]]);
    /** @type {Map<number, NonNullable<Finding['acknowledged']>>} */
    this.acknowledged = new Map();
    this.slowOsd = Math.floor(cluster.count * 0.6);
    this.slowHost = cluster.hosts > 2 ? `host-${cluster.hosts - 1}` : '';
  }

  /** @returns {Status['watch']} */
  status() {
    return {
      on: this.on,
      osds: this.cluster.count,
      tick_seconds: 5,
      judged: this.on ? this.cluster.count : 0,
      since: this.on ? iso(this.begun) : null,
      last_tick_at: this.on ? iso(this.now()) : null,
      late_seconds: 0,
      last_tick_cpu_seconds: this.on ? 0.004 : null,
      errors: 0,
      problem: this.problem,
      lost_rows: 0,
    };
  }

  /** @returns {Status['findings']} */
  counts() {
    const open = this.#all().filter((one) => one.state === 'open');
    /** @param {string} severity */
    const of = (severity) => open.filter((one) => one.severity === severity).length;
    return { error: of('error'), warning: of('warning'), info: of('info') };
  }

  /** @returns {Problem[]} */
  problems() {
    const found = this.#all()
      .filter((one) => one.state !== 'closed')
      .map((one) => {
        /** @type {Problem} */
        const problem = {
          kind: one.code.includes('LAGGY') ? 'laggy' : 'slow',
          page: 'finding',
          finding: one.id,
          severity: one.severity,
          target: one.target,
          text: one.message,
          since: one.first_seen,
          muted: one.state === 'muted',
          harm: null,
          action: `ceph perf-bench finding show ${one.id}`,
        };
        return problem;
      });
    const rest = /** @type {const} */ ({ finding: null, since: null, muted: false, harm: null });
    if (this.calm) return found;
    return [
      ...found,
      {
        ...rest,
        ...{ kind: 'hardware', page: 'enclosure', severity: 'error', action: 'Look at it.' },
        target: { kind: 'enclosure', id: '0x5000c500a1b2c3d4' },
        text: 'The enclosure reports the state fault.',
      },
      {
        ...rest,
        ...{ kind: 'advice', page: 'doctor', severity: 'info', action: 'Set it.' },
        target: { kind: 'settings', id: '' },
        text: 'OSDs keep less memory than their device would use.',
      },
    ];
  }

  /** @param {URLSearchParams} query */
  findings(query) {
    const everything = query.get('everything') === 'true';
    const search = (query.get('search') ?? '').toLowerCase();
    return this.#all()
      .filter((one) => everything || one.state !== 'closed')
      .filter((one) => `${one.code} ${one.message}`.toLowerCase().includes(search));
  }

  /** @param {string} text @returns {Finding} */
  finding(text) {
    const found = this.#all().find((one) => String(one.id) === text);
    if (!found) throw new Refused(404, 'not_found', `no finding ${text}`);
    return found;
  }

  /** @param {string} text */
  detail(text) {
    const found = this.finding(text);
    return {
      ...found,
      conclusion: 'It is slow itself.',
      harm: found.closed_at ? null : 'Clients of the cluster get 30 ms now, 6 ms before it began.',
      command: found.next_steps?.check[0]?.command ?? null,
    };
  }

  /** @param {string} text @param {unknown} span */
  mute(text, span) {
    const found = this.finding(text);
    if (found.state === 'closed')
      throw new Refused(
        400,
        'invalid',
        `finding ${text} is closed: there is nothing to mute`,
        'id',
      );
    this.muted.set(found.id, iso(this.now() + seconds(String(span), 'for') * 1000));
    return this.finding(text);
  }

  /** @param {string} text @param {Record<string, unknown>} body */
  acknowledge(text, body) {
    const found = this.finding(text);
    const words = String(body['text'] ?? '').trim();
    if (body['remove'] === true) this.acknowledged.delete(found.id);
    else if (words === '') throw new Refused(400, 'invalid', 'text is empty', 'text');
    else this.acknowledged.set(found.id, { text: words, at: iso(this.now()), by: 'admin' });
    return this.finding(text);
  }

  /** One OSD has no primary affinity, since an hour. @param {number} id @returns {NonNullable<OsdDetail['relieved']>} */
  relieved(id) {
    const since = iso(this.begun - HOUR);
    return id === this.slowOsd ? [{ what: 'primary_affinity', was: 1, set_to: 0, since }] : [];
  }

  /** @param {Osd} osd */
  about(osd) {
    return this.#all().filter(
      ({ target: { kind, id } }) =>
        (kind === 'osd' && id === String(osd.osd)) || (kind === 'host' && id === osd.host),
    );
  }

  /** @returns {Finding[]} */
  #all() {
    if (this.calm) return [];
    return this.#made().map((made) => {
      const one = { ...made, acknowledged: this.acknowledged.get(made.id) ?? null };
      const until = this.muted.get(one.id);
      return until && one.state === 'open'
        ? { ...one, state: /** @type {const} */ ('muted'), muted_until: until }
        : one;
    });
  }

  /** @returns {Finding[]} */
  #made() {
    const { slowOsd, slowHost, begun } = this;
    const host = this.cluster.osd(slowOsd).host;
    const base = {
      severity: /** @type {const} */ ('warning'),
      state: /** @type {const} */ ('open'),
    };
    const life = (/** @type {number} */ hours, osd = slowOsd) => ({
      first_seen: iso(begun - hours * HOUR),
      last_seen: iso(begun),
      muted_until: null,
      acknowledged: null,
      next_steps: stepsOf(this.cluster, osd),
      ceph_alerts: [],
      closed_at: null,
    });
    const ofHost = this.#osdsOf(slowHost);
    /** @type {Finding[]} */
    const list = [
      {
        ...base,
        ...life(6),
        id: 2,
        code: 'PERF_BENCH_SLOW_OSD',
        target: { kind: 'osd', id: String(slowOsd) },
        message: `osd.${slowOsd} on ${host} is 4.1 times as slow as its 7 peers in bursts, 9 of them in 24 h (commit 41 ms against 10 ms)`,
        evidence: { ...FIGURES, path: 'intermittent', bursts_24h: 9, ratio: 4.1, host },
      },
      {
        ...base,
        ...life(30, ofHost[0]),
        id: 3,
        code: 'PERF_BENCH_SLOW_HOST',
        target: { kind: 'host', id: slowHost },
        message: `host ${slowHost} (${ofHost.length} OSDs) is 1.42 times as slow as its peers (commit 14 ms against 10 ms)`,
        evidence: { ...FIGURES, osds: ofHost, members: ofHost.length },
      },
      {
        ...base,
        ...life(2),
        id: 4,
        next_steps: null,
        code: 'PERF_BENCH_LAGGY_PGS',
        target: { kind: 'cluster', id: 'cluster' },
        message: say('laggy-nobody', { how: say('laggy-peak', { peak: 12 }) }),
        evidence: { episodes: 1, peak: 12, laggy_pg_seconds: 420, suspects: [], stuck: false },
      },
      {
        ...base,
        ...life(80),
        id: 1,
        code: 'PERF_BENCH_SLOW_OSD',
        target: { kind: 'osd', id: '0' },
        message: say('slow-osd', {
          osd: say('osd-on-host', { osd: 0, host: 'host-0' }),
          ...{ ratio: 2.2, peers: 7 },
          figures: say('slow-figures', {
            ...{ channel: 'read', own: 0.022, usual: 0.01 },
            since: begun / 1000 - 80 * 3600,
          }),
        }),
        evidence: { ...FIGURES, channel: 'read', ratio: 2.2 },
        state: 'closed',
        last_seen: iso(begun - 60 * HOUR),
        next_steps: null,
        ceph_alerts: [],
        closed_at: iso(begun - 60 * HOUR),
      },
    ];
    return [...list.filter((one) => one.target.id), this.#ofNewKind(life)];
  }

  /** One that no page knows of, with all shapes of evidence. @param {(hours: number) => Pick<Finding, 'first_seen' | 'last_seen' | 'muted_until' | 'closed_at' | 'acknowledged' | 'next_steps'>} life
   * @returns {Finding} */
  #ofNewKind(life) {
    const since = Math.floor(this.begun / 1000) - 3600;
    return {
      ...life(90),
      id: 5,
      code: 'PERF_BENCH_NEW_KIND',
      severity: 'error',
      target: { kind: 'profile', id: 'osd-iops' },
      message: 'this is a kind of finding that the front end has never heard of',
      evidence: {
        later: 'a key without words',
        osds: [0, 1],
        errors: [
          { osd: 0, device: 'sda', kind: 'crc', count: 12, per_day: 1.5, since },
          { osd: 1, device: 'sdb', kind: 'crc', count: 3, since },
        ],
        limits: { bytes_per_second: 3 * 2 ** 20, change_percent: -7.25, at: since },
        commands: ['ceph config rm osd osd_recovery_max_active', 'ceph osd unset noout'],
      },
      state: 'closed',
      next_steps: null,
      ceph_alerts: [],
      closed_at: iso(this.begun - 70 * HOUR),
    };
  }

  /** @param {string} host */
  #osdsOf(host) {
    const all = Array.from({ length: this.cluster.count }, (_, id) => id);
    const index = Number(host.slice(5));
    return host
      ? all.filter((id) => Math.floor((id * this.cluster.hosts) / this.cluster.count) === index)
      : [];
  }

  /** What is seen of an OSD: the keys of `Osd` that are the watch's. @param {Osd} osd */
  seen(osd) {
    const state = this.#state(osd);
    const none = state === 'no-data';
    const ratio = { ok: 0.95 + 0.1 * chance(osd.osd, 21), suspect: 1.42, slow: 4.1, 'no-data': 1 }[
      state
    ];
    const base = osd.class === 'nvme' ? 0.4 : 10;
    const ms = (/** @type {number} */ factor) =>
      none ? null : Number((base * ratio * factor).toFixed(3));
    return {
      state,
      since: state === 'slow' || state === 'suspect' ? iso(this.begun - 6 * HOUR) : null,
      ratio: none ? null : Number(ratio.toFixed(3)),
      robust_z: none ? null : Number((Math.log(ratio) / 0.03).toFixed(3)),
      risk: none ? null : state === 'slow' ? 31.5 : state === 'suspect' ? 4.2 : 0,
      commit_ms: ms(1),
      apply_ms: ms(1.02),
      read_ms: ms(0.8),
      write_ms: ms(1.9),
      queue_ms: ms(0.02),
    };
  }

  /** @param {Osd} osd @returns {Osd['state']} */
  #state(osd) {
    if (!this.on || !osd.up || chance(osd.osd, 23) < 0.005) return 'no-data';
    if (this.calm) return 'ok';
    if (osd.osd === this.slowOsd) return 'slow';
    return osd.host === this.slowHost ? 'suspect' : 'ok';
  }

  /** @param {Osd} osd @returns {string[]} */
  explain({ osd, ...seen }) {
    const since = say('osd-since', { since: this.begun / 1000 - 6 * 3600 });
    const channel = 'commit';
    switch (this.#state({ osd, ...seen })) {
      case 'slow':
        return [
          say('osd-slow-by', { osd, since, rule: say('rule-intermittent') }),
          say('channel-now', {
            channel,
            parts: [say('channel-ratio-z', { ratio: 1.04, peers: 7, z: 0.8 })],
          }),
          say('channel-bursts', { channel, bursts: 9, worst: 12 }),
          say('channel-unseen', { channel, ratio: 1.22 }),
        ];
      case 'suspect':
        return [say('osd-slow-with', { osd, unit: say('its-host'), since })];
      case 'no-data':
        return [say('osd-cannot-judge', { osd, why: say('no-data-idle', { operations: 30 }) })];
      default:
        return [say('osd-as-fast', { osd })];
    }
  }

  /** @returns {OsdLatency} */
  latency() {
    const rows = Array.from({ length: this.cluster.count }, (_, id) => {
      const seen = this.seen(this.cluster.osd(id));
      const { ratio, risk, commit_ms, read_ms, write_ms } = seen;
      const figures = [ratio, risk || null, commit_ms, read_ms, write_ms];
      return [id, STATES.indexOf(seen.state), ...figures.map(short)];
    });
    const columns = ['osd', 'state', 'ratio', 'risk', 'commit_ms', 'read_ms', 'write_ms'];
    return { columns, states: [...STATES], rows };
  }

  /** @param {Osd} osd @param {URLSearchParams} query @returns {OsdSeries} */
  series(osd, query) {
    const since = seconds(query.get('since') ?? '3h', 'since');
    const span = SPANS.find(([back]) => since <= back)?.[1] ?? 86400;
    const chosen = query.get('channel');
    if (chosen !== null && !CHANNELS.includes(chosen))
      throw new Refused(
        400,
        'invalid',
        `channel ${chosen}: one of ${CHANNELS.join(', ')}`,
        'channel',
      );
    const end = Math.floor(this.now() / 1000);
    const first = end - since - ((end - since) % span) + span;
    const count = this.#state(osd) === 'no-data' ? 0 : Math.floor((end - first) / span);
    const channels = (chosen === null ? CHANNELS : [chosen]).map((name, place) => [
      name,
      Array.from({ length: count }, (_, index) =>
        this.#point(osd, place, first + index * span, span),
      ),
    ]);
    return {
      osd: osd.osd,
      from: iso((end - since) * 1000),
      to: iso(end * 1000),
      columns: ['at', 'seconds', 'mean_ms', 'max_ms', 'ops', 'slow_frames'],
      channels: count ? Object.fromEntries(channels) : {},
    };
  }

  /** When each OSD was asked. @type {Map<number, number>} */
  #asks = new Map();

  /** Asked once more after the first question. @param {Osd} osd @returns {OsdWhy} */
  why(osd) {
    const complete = this.#asks.has(osd.osd);
    const asked = this.#asks.get(osd.osd) ?? this.now();
    this.#asks.set(osd.osd, asked);
    const behind = osd.osd + 1;
    const sampled = { operations: 22, in_flight: 2, seconds: 9.7, longest_seconds: 0.51 };
    return {
      osd: osd.osd,
      state: complete ? 'complete' : 'asking',
      asked_at: iso(asked),
      until: iso(asked + 3_000),
      sentences: [
        `The slowest operations of osd.${osd.osd} are held up by osd.${behind}.`,
        `osd.${behind} itself takes 40 ms for a write as a replica, this OSD 6.3 ms.`,
      ],
      not_told: [
        'Ceph does not tell which of several replicas answered last: waits are counted for the OSD that the most of them have in common.',
      ],
      operations: { queued: 0, own_commit: 0.03, sub_operations: 0.97 },
      sampled,
      sub_operations: { queued: 0.02, own_commit: 0.98, sub_operations: 0 },
      sub_sampled: { ...sampled, operations: 3, in_flight: 0 },
      waits_for: [{ osd: behind, seconds: 9.4, share: 1, operations: 22 }],
      waited_for_by: [],
      behind: [{ osd: behind, seconds: 9.4 }],
      blocked_by: [],
      background: [],
      counters: [
        {
          counter: 'kv_commit',
          words: 'kv commit',
          ms: 6.2843,
          operations: 996,
          others: [{ osd: behind, ms: 40.1613 }],
        },
      ],
      counter_seconds: complete ? 2 : null,
      peers: [{ osd: behind, host: osd.host, role: 'peer', operations: 20, problems: [] }],
    };
  }

  /** @param {Osd} osd @param {number} channel @param {number} at @param {number} span @returns {(number | null)[]} */
  #point(osd, channel, at, span) {
    const luck = chance(osd.osd, channel, at / span);
    const factor = [1, 0.8, 0.02, 0.9, 1.9][channel] ?? 1;
    const base = (osd.class === 'nvme' ? 0.4 : 10) * factor;
    const burst = this.#state(osd) === 'slow' && luck > 0.97;
    const shared = this.#state(osd) === 'suspect' ? 1.42 : 1;
    const mean = base * shared * (1 + 0.2 * luck) * (burst ? 1 + (3 * 30) / span : 1);
    const most = burst ? base * (4 + 8 * luck) : mean * (1.1 + 0.3 * luck);
    const frames = span > 60 ? (burst ? 2 : 0) : null;
    return [at, span, short(mean), short(most), Math.round(span * (40 + 20 * luck)), frames];
  }

  /** @returns {Laggy} */
  laggy() {
    const pgs = this.cluster.count * 32;
    if (this.calm) {
      const now = { laggy: 0, wait: 0, pgs, at: this.#at() };
      return { now, osds: [], osds_left_out: 0, pools: [], episodes: [], episodes_left_out: 0 };
    }
    const { host } = this.cluster.osd(this.slowOsd);
    const figures = { laggy_pg_seconds: 310.5, share: 0.31 };
    return {
      now: { laggy: 3, wait: 1, pgs, at: this.#at() },
      osds: [
        { osd: this.slowOsd, host, ...figures },
        { osd: 0, host: 'host-0', laggy_pg_seconds: 40, share: 0.02 },
      ],
      osds_left_out: 0,
      pools: [
        { pool: 'rbd', laggy: 3, wait: 1, laggy_pg_seconds: 380 },
        { pool: 'cephfs.a.data', laggy: 0, wait: 0, laggy_pg_seconds: 40.5 },
      ],
      episodes: this.#episodes(host),
      episodes_left_out: 0,
    };
  }

  /** @param {string} host @returns {Episode[]} */
  #episodes(host) {
    const suspect = {
      osd: this.slowOsd,
      host,
      laggy_pg_seconds: 310.5,
      part: 0.94,
      share: 0.31,
      stale_seconds: 25,
      slow_ops: 3,
    };
    /** @param {number} hours @param {number | null} took @param {Partial<Episode>} rest @returns {Episode} */
    const made = (hours, took, rest) => ({
      from: iso(this.begun - hours * HOUR),
      to: took === null ? null : iso(this.begun - hours * HOUR + took * 1000),
      seconds: took,
      peak: 12,
      laggy_pg_seconds: 330,
      suspects: [suspect],
      suspects_left_out: 0,
      stuck: false,
      pools: ['rbd'],
      pools_left_out: 0,
      round: null,
      ...rest,
    });
    return [
      made(0.02, null, { peak: 3 }),
      made(2, 95, {}),
      made(5, 400, { peak: 31, suspects: [], stuck: true, pools: ['rbd', 'cephfs.a.data'] }),
      made(26, 40, { peak: 5, round: this.cluster.rounds || null }),
    ];
  }

  #at() {
    return this.on ? iso(this.now()) : null;
  }

  /** @returns {Cohort[]} */
  cohorts() {
    const members = this.cluster.count;
    return members
      ? [
          {
            name: 'hdd FAKE-ST18000',
            members,
            judged: members,
            channel: 'commit',
            minimum_detectable_ratio: 1.22,
          },
        ]
      : [];
  }
}

/** The steps of a slow OSD. @param {FakeCluster} cluster @param {number} osd */
function stepsOf(cluster, osd) {
  const { host, device } = cluster.place(osd);
  return {
    check: [
      step('Why it is judged so, and its latencies', `ceph perf-bench osd show ${osd}`),
      step('What the kernel says of it, on {host}', `dmesg -T | grep -w ${device}`, { host }),
    ],
    relieve: [
      step(
        'Make it the last choice as primary: clients read from other copies, no data moves',
        `ceph perf-bench osd relieve ${osd} --affinity 0 --yes-i-really-mean-it`,
      ),
    ],
    replace: [
      step('It is in slot {slot} of enclosure {enclosure}', null, {
        slot: String(osd % 60),
        enclosure: '0x5000c500a1b2c3d4',
      }),
      step('Whether all placement groups stay available without it', `ceph osd ok-to-stop ${osd}`),
    ],
  };
}

const FIGURES = {
  channel: 'commit',
  path: 'sustained',
  ratio: 1.42,
  max_ratio: 12,
  robust_z: 11.7,
  latency_ms: 14.2,
  peers_latency_ms: 10,
  peers: 7,
  share_of_time: 0.03,
  explained_by_load: 1.02,
  cohort: 'hdd FAKE-ST18000',
  minimum_detectable_ratio: 1.22,
};

/** Three significant digits, as the module sends them. @param {number | null} value */
function short(value) {
  return value === null ? null : Number(value.toPrecision(3));
}

/** "1d" in seconds. @param {string} text @param {string} field */
function seconds(text, field) {
  const [, digits = '', unit = ''] = /^(\d+)([mhdw])$/.exec(text) ?? [];
  const found = Number(digits) * (UNITS[unit] ?? Number.NaN);
  if (!(found > 0))
    throw new Refused(400, 'invalid', `'${text}' is no duration, as 3h or 1d`, field);
  return found;
}

/** A step as the module has it. @param {string} words @param {string | null} command
 * @param {Record<string, string>} [values]
 * @returns {import('../src/generated/types.js').NextStep} */
function step(words, command, values = {}) {
  const text = words.replaceAll(
    /\{(\w+)\}/g,
    (_, /** @type {string} */ name) => values[name] ?? '',
  );
  return { text, command };
}
