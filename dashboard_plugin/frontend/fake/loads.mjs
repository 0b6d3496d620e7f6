/** The fake back end's rounds of clients: a plain one, a search for saturation, and one that runs. */
import { chance, iso } from './cluster.mjs';
import { say } from './say.mjs';

/** @import {LoadClient, LoadPlan, LoadPoint, LoadWorker, Live, Profile, Round, RoundLine, Saturation} from '../src/generated/types.js' */

const MIB = 2 ** 20;
const EVERY = 31;
const [PLAIN, SEARCH] = [27, 28];
/** Who ran the clients of the plain one, in turn. */
const WORKERS = ['node-0', 'node-1'];
/** Clients, threads, MB/s and milliseconds of each run of the search. */
const RUNS = /** @type {const} */ ([
  [1, 1, 92, 43],
  [4, 4, 730, 88],
  [4, 16, 1180, 216],
  [8, 32, 1205, 850],
  [4, 8, 1090, 117],
  [4, 16, 1172, 218],
  [4, 8, 1102, 116],
]);

/** @type {readonly Profile[]} */
export const LOAD_PROFILES = [
  'rados-write',
  'rados-rand',
  'rados-saturate',
  'rados-saturate-rand',
].map((name) => ({
  name,
  kind: 'rados',
  description: describe(name),
  repeats: 3,
  max_repeats: 3,
  max_cv_percent: 10,
  steps: [
    {
      operation: operationOf(name),
      block_size: 4 * MIB,
      total_bytes: 0,
      object_size: 0,
      object_count: 0,
      prefilled: false,
    },
  ],
  estimate: { seconds: 105, bytes_per_osd: 3_000_000_000 },
}));

/** In the words of the module. @param {string} name */
function describe(name) {
  const reads = operationOf(name) === 'rand';
  return name.includes('saturate')
    ? `ever more 4 MiB ${reads ? 'random reads' : 'writes'}: the knee`
    : `4 MiB ${reads ? 'reads at random' : 'writes'} by many clients`;
}

/** @param {unknown} profile */
function operationOf(profile) {
  return String(profile).endsWith('-rand') ? 'rand' : 'write';
}

/** Whether a round of the fake cluster is one of clients. @param {RoundLine} line */
export function isLoad({ id, profile }) {
  return profile.startsWith('rados-') || [PLAIN, SEARCH].includes(id % EVERY);
}

/** @param {RoundLine} line */
function searches({ id, profile }) {
  return profile.startsWith('rados-saturate') || id % EVERY === SEARCH;
}

/** @param {Record<string, unknown>} body @returns {LoadPlan} */
export function loadOf(body) {
  const number = (/** @type {string} */ key, /** @type {number} */ usual) =>
    Number(body[key] ?? usual);
  return {
    pool: String(body['pool'] ?? 'perf_bench'),
    operation: operationOf(body['profile']),
    seconds: number('seconds', 30),
    clients: number('clients', 4),
    threads: number('threads', 16),
    size: number('size', 4 * MIB),
    max_objects: 10_000,
    bytes_per_repeat: 160_000 * MIB,
    saturates: String(body['profile']).startsWith('rados-saturate'),
    workers: String(body['workers'] ?? '')
      .split(',')
      .filter(Boolean),
  };
}

/** A client's rows: second, operations finished by then, mean latency so far.
 * @param {number} client @param {number} repeat @param {number} seconds */
function rows(client, repeat, seconds) {
  let [finished, waited] = [0, 0];
  return Array.from({ length: seconds }, (_, at) => {
    const done = Math.round(70 + 12 * chance(client, repeat, at));
    finished += done;
    waited += done * (0.2 + 0.05 * chance(client, at, repeat, 7));
    return [at + 1, finished, waited / finished];
  });
}

/** @param {number} client @param {number} repeat @param {number} begun @param {string} worker @returns {LoadClient} */
function client(client, repeat, begun, worker) {
  const series = rows(client, repeat, 30);
  const [, operations = 0, mean = 0] = series.at(-1) ?? [];
  return {
    repeat,
    client,
    started_at: iso(begun + 100 * client),
    seconds: 30.2,
    operations,
    bytes_per_second: (operations * 4 * MIB) / 30.2,
    mean_latency: mean,
    min_latency: 0.03,
    max_latency: 0.61,
    series,
    worker,
  };
}

/** What a round of clients has beside or instead of what one of OSDs has.
 * @param {Round} round @returns {Round} */
export function withLoad(round) {
  if (!isLoad(round)) return round;
  const search = searches(round);
  const begun = Date.parse(round.started_at ?? '');
  const ended = round.ended_at !== null;
  const repeats = Array.from({ length: search ? RUNS.length : 3 }, (_, at) => at + 1);
  const clients = (ended ? repeats : []).flatMap((repeat) =>
    [0, 1, 2, 3].map((number) =>
      client(number, repeat, begun + 35_000 * repeat, search ? '' : String(WORKERS[number % 2])),
    ),
  );
  return {
    ...round,
    profile: search ? 'rados-saturate' : 'rados-write',
    kind: 'rados',
    load: loadOf(
      search
        ? { profile: 'rados-saturate' }
        : { profile: 'rados-write', workers: WORKERS.join(',') },
    ),
    summary: ended ? summary() : {},
    conclusions: [],
    context: [],
    phases: [],
    per_osd: [],
    samples: [],
    osds: 0,
    clients,
    workers: search ? [] : parts(clients),
    unmeasured:
      search || !ended ? [] : [{ repeat: 4, why: say('clients-stalled', { seconds: 10 }) }],
    saturation: search ? saturation() : null,
  };
}

/** What each worker did in each repeat. @param {readonly LoadClient[]} clients @returns {LoadWorker[]} */
function parts(clients) {
  const repeats = [...new Set(clients.map(({ repeat }) => repeat))];
  return repeats.flatMap((repeat) =>
    WORKERS.map((id, at) => {
      const its = clients.filter((one) => one.repeat === repeat && one.worker === id);
      return {
        repeat,
        id,
        host: id,
        clients: its.map((one) => one.client),
        clock_offset: at === 0 ? 0.0001 : 89.99996,
        clock_error: 0.0004,
        late_seconds: 0.012 + 0.02 * at,
        bytes_per_second: its.reduce((sum, one) => sum + one.bytes_per_second, 0),
      };
    }),
  );
}

function summary() {
  return {
    clients: 4,
    threads: 16,
    operation: 'write',
    pool: 'perf_bench',
    repeats: 3,
    seconds: 30.1,
    median_bytes_per_second: 305 * 4 * MIB,
    median_iops: 305,
    spread_percent: 1.4,
    mean_latency: 0.216,
    p50_latency: 0.214,
    p95_latency: 0.241,
    p99_latency: 0.248,
    max_latency: 0.61,
    cv_percent: 2.1,
    first_done: 30.1,
    last_done: 30.4,
  };
}

/** @returns {Saturation} */
function saturation() {
  /** @type {Map<string, LoadPoint>} */
  const points = new Map();
  for (const [clients, threads, megabytes, ms] of RUNS) {
    const bytes = megabytes * 1e6;
    const before = points.get(`${clients} ${threads}`);
    points.set(`${clients} ${threads}`, {
      clients,
      threads,
      in_flight: clients * threads,
      runs: (before?.runs ?? 0) + 1,
      bytes_per_second: before ? (before.bytes_per_second + bytes) / 2 : bytes,
      lowest_bytes_per_second: Math.min(before?.lowest_bytes_per_second ?? bytes, bytes),
      highest_bytes_per_second: Math.max(before?.highest_bytes_per_second ?? bytes, bytes),
      iops: bytes / (4 * MIB),
      mean_latency: ms / 1000,
      p99_latency: (2.3 * ms) / 1000,
    });
  }
  const at = (/** @type {string} */ load) => points.get(load) ?? null;
  return {
    most_runs: 11,
    grid: 35,
    runs: RUNS.map(([clients, threads, megabytes, ms], index) => ({
      repeat: index + 1,
      clients,
      threads,
      bytes_per_second: megabytes * 1e6,
      mean_latency: ms / 1000,
      p99_latency: (2.3 * ms) / 1000,
      why: null,
    })),
    curve: [...points.values()].sort((a, b) => a.in_flight - b.in_flight),
    peak: at('8 32'),
    knee: at('4 16'),
    recommended: at('4 8'),
    share_percent: 91,
    reason: say('search-share', { share: 91, latency: 14, operations: 32, peak: 256 }),
    confirmed: true,
  };
}

/** The repeat that goes on. @param {{id: number, begun: number, profile: string} | null} active
 * @param {number} id @param {number} now @returns {Live} */
export function liveOf(active, id, now) {
  const osds = { measured: 0, planned: 0, classes: [], slowest: [] };
  const none = { wave: null, waves: null, osds, client_latency: null };
  if (active?.id !== id || !active.profile.startsWith('rados-'))
    return { id, phase: null, repeat: null, clients: [], ...none };
  const seconds = Math.min(30, Math.floor((now - active.begun) / 1000));
  const clients = [0, 1, 2, 3].map((number) => ({
    client: number,
    series: rows(number, 1, seconds),
  }));
  return { id, phase: 'write', repeat: 1, clients: seconds > 0 ? clients : [], ...none };
}
