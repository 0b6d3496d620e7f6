/** What the REST API would say, from a fake cluster. No HTTP in here: tests ask it directly. */
import { PROFILES, iso } from './cluster.mjs';
import { FakeComparing } from './comparing.mjs';
import { FakeChecksums } from './checksums.mjs';
import { FakeHardware } from './hardware.mjs';
import { imported, importedOf } from './imported.mjs';
import { KINDS } from './kinds.mjs';
import { alerts, looks } from './coverage.mjs';
import { forecast } from './forecast.mjs';
import { distribution, file, isSlow } from './distribution.mjs';
import { interimOf, quiesce, restored } from './interim.mjs';
import { LIMITS } from './limits.mjs';
import { LOAD_PROFILES, liveOf, loadOf, withLoad } from './loads.mjs';
import { FakeOptions, THRESHOLDS } from './options.mjs';
import { Refused } from './refused.mjs';
import { say } from './say.mjs';
import { FakeOverTime } from './over-time.mjs';
import { FakeSchedules } from './schedules.mjs';
import { concluded, isSandwich, parts } from './sandwich.mjs';
import { FakeWatch } from './watch.mjs';

/** @import {FakeCluster} from './cluster.mjs' */
/** @import {ActiveRound, Distribution, Imported, Osd, OsdLatency, Plan, Round, Status} from '../src/generated/types.js' */

/** @typedef {{body: unknown, total?: number}} Answer */
/** @typedef {{method: string, path: string, query: URLSearchParams, body?: Record<string, unknown>}} Question */

const COLUMNS = [
  'osd',
  'host',
  'rack',
  'class',
  'up',
  'bytes_per_second',
  'iops',
  'cv_percent',
  'percent_of_peers',
  'robust_z',
  'class_throughput_percent',
  'class_iops_percent',
  'round',
];

/** What stands where an ID would, and is none. */
const WHOLE = [
  'kind',
  'map',
  'latency',
  'compare',
  'history',
  'apply',
  'restore',
  'threshold',
  'import',
  'strip',
  'interval',
];

/** As many rounds as the overview has links to. */
const PREPARED = 8;

const ALL_PROFILES = [...PROFILES, ...LOAD_PROFILES];

export class Answers {
  /** @param {FakeCluster} cluster @param {{now?: () => number, seconds?: number}} [options] how long a round takes */
  constructor(cluster, { now = Date.now, seconds = 30 } = {}) {
    this.cluster = cluster;
    this.now = now;
    this.watch = new FakeWatch(cluster, now);
    this.overTime = new FakeOverTime(this.watch, now);
    this.comparing = new FakeComparing(cluster, now);
    this.hardware = new FakeHardware(cluster, now);
    this.checksums = new FakeChecksums(cluster, now);
    this.options = new FakeOptions();
    this.schedules = new FakeSchedules(cluster, now);
    this.seconds = seconds;
    /** A mode that all answers are in: '', 'off', 'forbidden', 'broken', 'logged-out'. */
    this.mode = '';
    /** @type {{id: number, begun: number, samples: number, profile: string} | null} */
    this.active = null;
    /** @type {ActiveRound['waits_for']} OSDs whose bench takes long. */
    this.waitsFor = { osds: 0, longest: [] };
    /** A round that runs no more has left settings changed. */
    this.leftOver = false;
    /** @type {{newest: number, body: object} | null} */
    this.made = null;
    /** Kept as ceph-mgr keeps them, by round. @type {Map<number, Distribution>} */
    this.distributions = new Map();
    /** @type {{round: number, found: Status['slow_in_rounds']} | null} Of the newest round. */
    this.slow = null;
    /** @type {{minute: number, body: OsdLatency} | null} */
    this.latencies = null;
    /** What other tools measured, by round. @type {Map<number, Imported>} */
    this.taken = new Map();
  }

  /** @param {Question} question @returns {Answer} */
  answer({ method, path, query, body = {} }) {
    this.#refuse(method);
    this.#settle();
    const [noun = '', id = '', verb = ''] = path.split('/').map(decodeURIComponent);
    const key = `${method} ${noun}${id && (WHOLE.includes(id) ? `/${id}` : '/ID')}${verb && `/${verb}`}`;
    /** @type {Record<string, () => Answer>} */
    const answers = {
      'GET status': () => ({ body: this.status() }),
      'GET profile': () => ({ body: ALL_PROFILES, total: ALL_PROFILES.length }),
      'GET round/ID/live': () => ({ body: this.live(Number(id)) }),
      'GET quiesce': () => ({ body: this.quiesce() }),
      'POST quiesce/restore': () => ({ body: this.restore() }),
      'GET round/ID/distribution': () => ({ body: this.#distribution(this.#known(id)) }),
      'GET round/ID/file': () => ({ body: file(this.cluster, this.#known(id), query) }),
      'GET round': () => this.rounds(query),
      'POST round': () => ({ body: body['dry_run'] ? this.plan(body) : this.start(body) }),
      'GET round/ID': () => ({ body: this.round(id, query) }),
      'POST round/import': () => ({ body: this.take(body) }),
      'POST round/ID/abort': () => ({ body: this.abort(id) }),
      'DELETE round/ID': () => ({ body: this.remove(id) }),
      'GET osd': () => this.osds(query),
      'GET osd/map': () => ({ body: this.map() }),
      'GET osd/ID': () => ({ body: this.osd(id) }),
      ...this.#watched(id, query, body),
      ...this.#compared(query, body),
      ...this.#scheduled(id, body),
      ...this.#built(id, query),
      'GET option': () => paged(this.options.all, query),
      'GET option/threshold': () => paged(THRESHOLDS, query),
      'POST option/ID/value': () => ({ body: this.options.set(id, body['value']) }),
    };
    const found = answers[key];
    if (!found) throw new Refused(404, 'not_found', `there is no ${path}`);
    return found();
  }

  /** What the watch answers. @param {string} id @param {URLSearchParams} query @param {Record<string, unknown>} body
   * @returns {Record<string, () => Answer>} */
  #watched(id, query, body) {
    const { overTime, watch } = this;
    return {
      'GET osd/latency': () => ({ body: this.#latency() }),
      'GET osd/ID/series': () => ({ body: watch.series(this.#osd(id), query) }),
      'GET osd/ID/why': () => ({ body: watch.why(this.#osd(id)) }),
      'GET finding': () => paged(watch.findings(query), query),
      'GET finding/ID/incident': () => ({ body: overTime.incident(id, query) }),
      'GET cluster/latency': () => ({ body: overTime.latency(query) }),
      'GET report': () => ({ body: overTime.report(query) }),
      'GET cluster/strip': () => ({ body: overTime.strip() }),
      'GET cluster/interval': () => ({ body: overTime.interval(query) }),
      'GET finding/kind': () => ({ body: KINDS }),
      'GET finding/ID': () => ({ body: watch.detail(id) }),
      'POST finding/ID/mute': () => ({ body: watch.mute(id, body['for']) }),
      'POST finding/ID/ack': () => ({ body: watch.acknowledge(id, body) }),
      'GET laggy': () => ({ body: watch.laggy() }),
      'GET cohort': () => ({ body: watch.cohorts() }),
      'GET coverage': () => paged(looks(this.cluster.count), query),
      'GET alert': () => paged(alerts(), query),
    };
  }

  /** @param {URLSearchParams} query @param {Record<string, unknown>} body @returns {Record<string, () => Answer>} */
  #compared(query, body) {
    const { comparing } = this;
    return {
      'GET round/compare': () => this.compare(query),
      'GET profile/history': () => ({ body: comparing.history(query.get('profile')) }),
      'GET reference': () => ({ body: comparing.references() }),
      'GET baseline': () => ({ body: comparing.baselines() }),
      'POST baseline': () => ({ body: comparing.setBaseline(this.#known(String(body['id']))) }),
    };
  }

  /** @param {URLSearchParams} query @returns {Answer} */
  crc(query) {
    const search = (query.get('search') ?? '').toLowerCase();
    const rows = this.checksums
      .osds()
      .filter((row) => `osd.${row.osd} ${row.host} ${row.class}`.includes(search));
    const page = /** @type {typeof rows} */ (paged(rows, query).body);
    return { body: this.checksums.around(page), total: rows.length };
  }

  /** @param {URLSearchParams} query @returns {Answer} */
  compare(query) {
    for (const name of ['a', 'b'])
      if (!query.get(name))
        throw new Refused(400, 'EINVAL', 'the IDs of two rounds are needed, a and b', name);
    const [a, b] = [this.#known(query.get('a') ?? ''), this.#known(query.get('b') ?? '')];
    const { offset, limit } = pageOf(query);
    const body = this.comparing.rounds(a, b, offset, limit);
    return { body, total: body.osds };
  }

  /** @param {string} name @param {Record<string, unknown>} body @returns {Record<string, () => Answer>} */
  #scheduled(name, body) {
    const { schedules } = this;
    return {
      'GET schedule': () => ({ body: schedules.list() }),
      'POST schedule': () => ({ body: schedules.add(body) }),
      'DELETE schedule/ID': () => ({ body: schedules.remove(name) }),
      'POST schedule/ID/pause': () => ({ body: schedules.pause(name) }),
      'POST schedule/ID/resume': () => ({ body: schedules.resume(name) }),
    };
  }

  /** What hosts are built of, and what the doctor says of it. @param {string} id @param {URLSearchParams} query
   * @returns {Record<string, () => Answer>} */
  #built(id, query) {
    const { hardware } = this;
    return {
      'GET doctor': () => paged(hardware.advice(), query),
      'GET enclosure': () => paged(hardware.enclosures(), query),
      'GET enclosure/ID': () => ({ body: hardware.enclosure(id) }),
      'GET multipath': () => paged(hardware.multipaths(), query),
      'GET crc': () => this.crc(query),
      'GET mclock': () => paged(hardware.capacities(), query),
      'POST mclock/apply': () => ({ body: hardware.tune(true) }),
      'POST mclock/restore': () => ({ body: hardware.tune(false) }),
      'GET host': () => paged(hardware.hosts(), query),
      'GET host/ID': () => ({ body: this.#host(id, query) }),
      'GET worker': () => paged(hardware.workers(), query),
    };
  }

  /** @param {string} id @param {URLSearchParams} query */
  #host(id, query) {
    query.set('everything', 'true');
    return this.overTime.host(this.hardware.hosts(), id, query);
  }

  /** @param {string} method */
  #refuse(method) {
    if (this.mode === 'off') throw new Refused(503, 'module_off', '');
    if (this.mode === 'logged-out') throw new Refused(401, 'unauthorized', '');
    if (this.mode === 'broken')
      throw new Refused(
        500,
        'fault',
        'perf_bench met an error of its own: see the log of the active manager',
      );
    if (this.mode === 'forbidden' || (this.mode === 'read-only' && method !== 'GET')) {
      throw new Refused(403, 'EPERM', 'your roles lack the permission create of the scope osd');
    }
  }

  /** A round whose time is over has ended. */
  #settle() {
    const active = this.active;
    if (active && this.now() - active.begun >= this.seconds * 1000) this.#end(active, {});
  }

  /** @param {NonNullable<Answers['active']>} active @param {Partial<Round>} how */
  #end(active, how) {
    const took = (this.now() - active.begun) / 1000;
    const kept = {
      profile: active.profile,
      started_at: iso(active.begun),
      ended_at: iso(this.now()),
      took_seconds: took,
    };
    this.cluster.changed.set(active.id, { ...kept, state: 'done', verdict: 'valid', ...how });
    this.active = null;
  }

  #coverage() {
    const all = looks(this.cluster.count);
    const gaps = all.flatMap((one) => one.sentences);
    const complete = all.filter((one) => one.complete).length;
    return { looks: all.length, complete, gaps, more: 0 };
  }

  /** @returns {Status['slow_in_rounds']} */
  #slowInRounds() {
    const round = this.cluster.newest();
    if (this.slow?.round === round) return this.slow.found;
    const rows = round ? this.cluster.order().map((osd) => this.cluster.result(osd, round)) : [];
    const slow = rows.filter(isSlow);
    const worst = slow.slice(0, 5).map(({ osd, percent_of_peers: percent }) => ({
      osd,
      round,
      percent_of_peers: percent ?? 0,
    }));
    this.slow = { round, found: { osds: slow.length, worst } };
    return this.slow.found;
  }

  /** @returns {Status} */
  status() {
    return {
      version: '1.0.0',
      release: 'fake',
      active_round: this.#progress(),
      scheduler: { enabled: true, next: this.schedules.next() },
      findings: this.watch.counts(),
      problems: this.watch.problems(),
      problems_left_out: 0,
      suspects: { osds: 0, worst: [] },
      slow_in_rounds: this.#slowInRounds(),
      coverage: this.#coverage(),
      watch: this.watch.status(),
      store: {
        backend: 'memory',
        rounds: this.cluster.rounds - this.cluster.removed.size,
        schema_version: 1,
        error: null,
      },
      quiesce: { state: this.quiesce().state },
      relieved_osds: this.cluster.count ? 1 : 0,
      limits: LIMITS,
    };
  }

  /** @returns {ActiveRound | null} */
  #progress() {
    if (!this.active) return null;
    const { id, profile, begun, samples } = this.active;
    const progress = Math.min(1, (this.now() - begun) / 1000 / this.seconds);
    const eta = this.seconds * (1 - progress);
    return {
      id,
      profile,
      phase: 'write',
      progress,
      eta_seconds: eta,
      samples: Math.floor(samples * progress),
      samples_planned: samples,
      waits_for: this.waitsFor,
    };
  }

  /** @param {number} id */
  live(id) {
    const { active, cluster } = this;
    if (active?.id !== id || active.profile.startsWith('rados-'))
      return liveOf(active, id, this.now());
    return interimOf(cluster, active, this.#progress()?.progress ?? 0, this.now());
  }

  quiesce() {
    return quiesce(this.active, this.now(), this.leftOver);
  }

  restore() {
    if (this.active) throw new Refused(409, 'EBUSY', `round ${this.active.id} holds them`);
    this.leftOver = false;
    return restored(this.quiesce());
  }

  /** @param {URLSearchParams} query @returns {Answer} */
  rounds(query) {
    checkSort(query.get('sort'));
    const ids = Array.from(
      { length: this.cluster.rounds },
      (_, index) => this.cluster.rounds - index,
    );
    let lines = ids.filter((id) => this.cluster.exists(id)).map((id) => this.cluster.line(id));
    const like = query.get('comparable');
    if (like) lines = [...this.comparing.comparable(this.#known(like))].reverse();
    const search = (query.get('search') ?? '').toLowerCase();
    if (search)
      lines = lines.filter((line) =>
        `${line.id} ${line.profile} ${line.label} ${line.verdict} ${line.state}`.includes(search),
      );
    return paged(lines, query);
  }

  /** @param {string} text @param {URLSearchParams} query */
  round(text, query) {
    const { offset, limit } = pageOf(query);
    const osd = query.get('osd');
    const id = this.#known(text);
    const words = [query.get('search') ?? '', query.get('sort') ?? ''];
    const one = osd === null ? null : Number(osd);
    const round = this.cluster.round(id, offset, limit, one, ...words);
    const conclusions = isSandwich(id) ? concluded() : round.conclusions;
    const context = this.comparing.context(round);
    const taken = this.taken.get(id);
    if (taken) return { ...imported(round), imported: taken };
    return withLoad({ ...round, conclusions, context, phases: parts(round) });
  }

  /** @param {string} text */
  #known(text) {
    const id = Number(text);
    if (!this.cluster.exists(id)) throw new Refused(404, 'not_found', `there is no round ${text}`);
    return id;
  }

  /** @param {URLSearchParams} query @returns {Answer} */
  osds(query) {
    const { offset, limit } = pageOf(query);
    const sort = query.get('sort') ?? '';
    const by = sort.replace(/^[+-]/, '');
    const [search, host] = [(query.get('search') ?? '').toLowerCase(), query.get('host')];
    const all =
      by === 'last_bench.percent_of_peers' && this.cluster.newest()
        ? [...this.cluster.order()]
        : Array.from({ length: this.cluster.count }, (_, id) => id);
    if (sort.startsWith('-')) all.reverse();
    const ids = all.filter((id) => {
      const there = this.cluster.host(id);
      return (host === null || there === host) && `${id} ${there}`.includes(search);
    });
    return {
      body: ids.slice(offset, offset + limit).map((id) => this.#osd(String(id))),
      total: ids.length,
    };
  }

  /** An OSD with what the watch sees of it. @param {string} text @returns {Osd} */
  #osd(text) {
    const id = Number(text);
    if (!Number.isInteger(id) || id < 0 || id >= this.cluster.count)
      throw new Refused(404, 'not_found', `osd.${text}: no such OSD in this cluster`);
    const osd = this.cluster.osd(id);
    return { ...osd, ...this.watch.seen(osd) };
  }

  /** @param {string} text */
  osd(text) {
    const osd = this.#osd(text);
    const id = osd.osd;
    const history = [];
    for (let round = this.cluster.newest(); round > 0 && history.length < 50; round -= 1) {
      const bench = this.cluster.exists(round) ? this.cluster.bench(id, round) : null;
      if (bench) history.push(bench);
    }
    const newest = history[0];
    const benched = newest ? reached(newest) : say('osd-not-measured', { osd: id });
    const weights = { primary_affinity: this.watch.relieved(id).length ? 0 : 1, reweight: 1 };
    const relieved = this.watch.relieved(id);
    const sentences = { sentences: [...this.watch.explain(osd), benched] };
    const unseen = { slow_in_round: /** @type {number | null} */ (null) };
    const explain = sentences.sentences.join(' ');
    const findings = this.watch.about(osd);
    return { ...osd, ...weights, relieved, history, findings, explain, ...sentences, ...unseen };
  }

  /** All OSDs at once; made anew when another round has measured them. */
  map() {
    const newest = this.cluster.newest();
    if (this.made?.newest !== newest) this.made = { newest, body: Object.freeze(this.#map()) };
    return this.made.body;
  }

  /** Make now what would take long at the first request: of all OSDs, and of the newest rounds. */
  prepare() {
    this.map();
    this.#latency();
    const newest = this.cluster.newest();
    for (let id = newest; id > Math.max(0, newest - PREPARED); id--) this.#distribution(id);
  }

  /** Of all OSDs, made anew each minute. */
  #latency() {
    const minute = Math.floor(this.now() / 60_000);
    if (this.latencies?.minute !== minute)
      this.latencies = { minute, body: Object.freeze(this.watch.latency()) };
    return this.latencies.body;
  }

  /** @param {number} id */
  #distribution(id) {
    const found = this.distributions.get(id) ?? Object.freeze(distribution(this.cluster, id));
    this.distributions.set(id, found);
    return found;
  }

  #map() {
    const rows = Array.from({ length: this.cluster.count }, (_, id) => {
      const osd = this.cluster.osd(id);
      const bench = osd.last_bench;
      return [
        id,
        osd.host,
        osd.location['rack'] ?? null,
        osd.class,
        osd.up,
        rounded(bench?.bytes_per_second, 0),
        rounded(bench?.iops, 1),
        rounded(bench?.cv_percent, 2),
        rounded(bench?.percent_of_peers, 2),
        rounded(bench?.robust_z, 2),
        rounded(bench?.percent_of_peers, 0),
        rounded(bench?.percent_of_peers, 0),
        bench?.round ?? null,
      ];
    });
    return { columns: COLUMNS, rows };
  }

  /** @param {Record<string, unknown>} body @returns {Plan} */
  plan(body) {
    const profile = ALL_PROFILES.find((one) => one.name === body['profile']);
    if (!profile) throw new Refused(404, 'not_found', `no profile '${body['profile']}'`, 'profile');
    if (body['workers'] && (body['pool'] ?? 'perf_bench') !== 'perf_bench') {
      const sentence =
        '--workers serve the pool perf_bench alone, for that is all their key allows';
      throw new Refused(400, 'EINVAL', sentence, 'workers');
    }
    const targets = this.#select(String(body['osds'] ?? 'all'));
    const repeats = Number(body['repeats'] ?? profile.repeats);
    if (repeats > 100)
      throw new Refused(400, 'invalid', `--repeats ${repeats} is not within 1 to 100`, 'repeats');
    const usual = body['repeats'] === undefined ? profile.max_repeats : repeats;
    const most = Number(body['max_repeats'] ?? usual);
    if (most < repeats) {
      const sentence = `--max-repeats ${most} is less than the ${repeats} repeats`;
      throw new Refused(400, 'EINVAL', sentence, 'max_repeats');
    }
    const step = /** @type {Plan['step']} */ (profile.steps[0]);
    const block = Number(body['size'] ?? step.block_size);
    const largest = 64 * 2 ** 20;
    if (block > largest) {
      const sentence = `writes of ${block} bytes are over this cluster's osd_bench_max_block_size of ${largest} bytes`;
      throw new Refused(400, 'invalid', sentence, 'size');
    }
    const total = Math.max(block, step.total_bytes - (step.total_bytes % block));
    const each = (total + step.object_size * step.object_count) * repeats;
    const asked = { ...step, block_size: block, total_bytes: total };
    const waves = this.cluster
      .waves()
      .map((wave) =>
        wave.filter((osd) => targets.length === this.cluster.count || targets.includes(osd)),
      )
      .filter((wave) => wave.length);
    return {
      profile: profile.name,
      step: asked,
      phases: [{ name: 'write', part: '', rest_seconds: 0, step: asked, waves }],
      repeats,
      max_repeats: most,
      waves,
      targets: targets.map((osd) => `osd.${osd}`),
      samples: repeats * targets.length,
      bytes: each * targets.length,
      bytes_per_osd: each,
      most_bytes_per_osd: (each / repeats) * most,
      most_seconds: (this.seconds / repeats) * most,
      load: profile.kind === 'rados' ? loadOf(body) : null,
      seconds: this.seconds,
      seconds_basis: 'the last round',
      notes: [],
      quiesce: ['flag noscrub not set to set', 'flag nodeep-scrub not set to set'],
      most_bytes: (each / repeats) * most * targets.length,
      holds: [
        { what: 'flag/noscrub', was: null, want: 'set' },
        { what: 'flag/nodeep-scrub', was: null, want: 'set' },
        { what: 'balancer', was: null, want: 'off' },
      ],
      held_seconds: 900 + (2 * this.seconds * most) / repeats,
      ...forecast(profile.kind, targets.length, (each / repeats) * most),
      admission: this.#admission(targets),
    };
  }

  /** One OSD is nearly full and one is full, so that refusals can be seen.
   * @param {readonly number[]} targets @returns {Plan['admission']} */
  #admission(targets) {
    const refusals = [];
    if (this.active)
      refusals.push({
        code: 'round-running',
        message: say('round-running', { rounds: [this.active.id] }),
        forceable: false,
      });
    const only = targets.length === 1 ? targets[0] : -1;
    if (only === 13 || only === 14)
      refusals.push({
        code: 'osd-nearfull',
        message: say('osd-nearfull', { osds: [only] }),
        forceable: true,
      });
    if (only === 14)
      refusals.push({
        code: 'osd-full',
        message: say('osd-full', { osds: [14] }),
        forceable: false,
      });
    const allowed = refusals.length === 0;
    return {
      allowed,
      reasons: refusals.map((one) => one.message),
      refusals,
      forceable: !allowed && refusals.every((one) => one.forceable),
      tolerated: [],
      unknown: [
        {
          code: 'client-load',
          message: say('client-share-unknown'),
          essential: false,
        },
      ],
    };
  }

  /** @param {string} text */
  #select(text) {
    const all = Array.from({ length: this.cluster.count }, (_, id) => id);
    if (text === 'all') return all;
    const keyed = /^(class|host)=(.+)$/.exec(text);
    if (keyed) {
      const found = all.filter(
        (id) => this.cluster.osd(id)[/** @type {'class'} */ (keyed[1])] === keyed[2],
      );
      if (!found.length) throw new Refused(404, 'not_found', `no OSD with ${text}`, 'osds');
      return found;
    }
    if (!/^\d+(,\d+)*$/.test(text))
      throw new Refused(
        400,
        'invalid',
        `'${text}' does not select OSDs: use 'all', IDs like '0,3,7-9', or 'class=NAME', 'host=NAME'`,
        'osds',
      );
    const ids = text.split(',').map(Number);
    const missing = ids.find((id) => id >= this.cluster.count);
    if (missing !== undefined)
      throw new Refused(404, 'not_found', `osd.${missing}: no such OSD in this cluster`, 'osds');
    return ids;
  }

  /** @param {Record<string, unknown>} body */
  start(body) {
    const plan = this.plan(body);
    if (this.active)
      throw new Refused(
        409,
        'busy',
        `round ${this.active.id} is running: wait for it, or abort it`,
      );
    const { allowed, forceable, reasons } = plan.admission;
    if (!allowed && !(forceable && body['force']))
      throw new Refused(409, 'EAGAIN', `refused now: ${reasons.join('; ')}`, '', reasons);
    const id = (this.cluster.rounds += 1);
    this.active = { id, begun: this.now(), samples: plan.samples, profile: plan.profile };
    const running = {
      profile: plan.profile,
      state: /** @type {const} */ ('running'),
      verdict: null,
      label: String(body['label'] ?? ''),
      started_at: iso(this.now()),
      ended_at: null,
      took_seconds: null,
      summary: {},
    };
    this.cluster.changed.set(id, running);
    return { id };
  }

  /** @param {Record<string, unknown>} body */
  take(body) {
    const found = importedOf(body);
    if (!found)
      throw new Refused(400, 'EINVAL', 'the results are not JSON: Expecting value', 'results');
    const id = (this.cluster.rounds += 1);
    this.taken.set(id, found);
    const ended = {
      profile: found.tool,
      kind: found.tool,
      state: /** @type {const} */ ('done'),
      verdict: /** @type {const} */ ('valid'),
      label: String(body['label'] ?? ''),
      summary: { jobs: found.jobs.length },
    };
    this.cluster.changed.set(id, ended);
    return { id };
  }

  /** @param {string} text */
  abort(text) {
    const id = this.#known(text);
    if (this.active?.id !== id) throw new Refused(409, 'busy', `round ${id} is not running`);
    this.#end(this.active, { state: 'aborted', verdict: 'aborted' });
    return { id };
  }

  /** @param {string} text */
  remove(text) {
    const id = this.#known(text);
    if (this.active?.id === id)
      throw new Refused(409, 'busy', `round ${id} is running: abort it first`);
    this.cluster.removed.add(id);
    return { id };
  }
}

/** @param {URLSearchParams} query */
function pageOf(query) {
  const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 25)];
  if (!(limit >= 1 && limit <= 500))
    throw new Refused(
      400,
      'invalid',
      `limit ${query.get('limit')} is not within 1 to 500`,
      'limit',
    );
  if (!(offset >= 0))
    throw new Refused(400, 'invalid', `offset ${query.get('offset')} is not 0 or more`, 'offset');
  return { offset, limit };
}

/** @param {object[]} rows @param {URLSearchParams} query @returns {Answer} */
function paged(rows, query) {
  const { offset, limit } = pageOf(query);
  const page = sorted(rows, query.get('sort')).slice(offset, offset + limit);
  return { body: page, total: rows.length };
}

// What the database sorts rounds by: ROUND_SORTS of the module's ports/round_store.py.
const ROUND_SORTS = [
  ...['id', 'profile', 'kind', 'state', 'verdict', 'label'],
  ...['created_at', 'started_at', 'ended_at', 'took_seconds'],
];

/** @param {string | null} sort */
function checkSort(sort) {
  if (sort && !ROUND_SORTS.includes(sort.replace(/^[+-]/, ''))) {
    const needed = `--sort ${sort}: one of ${ROUND_SORTS.join(', ')} is needed`;
    throw new Refused(400, 'invalid_value', needed, 'sort');
  }
}

/** @param {number | null | undefined} value @param {number} digits */
function rounded(value, digits) {
  return value === null || value === undefined ? null : Number(value.toFixed(digits));
}

/** @template T @param {T[]} rows @param {string | null} sort @returns {T[]} */
function sorted(rows, sort) {
  if (!sort) return rows;
  const key = sort.replace(/^[+-]/, '').split('.');
  const value = (/** @type {any} */ row) => key.reduce((found, part) => found?.[part], row);
  const sign = sort.startsWith('-') ? -1 : 1;
  return [...rows].sort((a, b) => sign * (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0));
}

/** What a round showed of an OSD. @param {import('../src/generated/types.js').LastBench} bench */
function reached({ round, profile, verdict, percent_of_peers, robust_z }) {
  const where = say('osd-in-round', {
    round,
    profile,
    verdict: say(`verdict-${verdict ?? 'failed'}`),
  });
  return say('osd-bench-reached', {
    where,
    percent: percent_of_peers,
    z: robust_z ?? 0,
    spread: '',
  });
}
