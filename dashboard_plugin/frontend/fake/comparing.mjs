/** What the fake back end says when results are set beside others: a step in the middle of the past. */
import { PROFILES, chance, iso } from './cluster.mjs';
import { Refused } from './refused.mjs';
import { say } from './say.mjs';

/** @import {FakeCluster} from './cluster.mjs' */
/** @import {Baseline, Change, ChangePoint, Comparison, Context, Figure, History, HistoryPoint, OsdChange, RoundLine} from '../src/generated/types.js' */

/** From this part of all rounds on everything is slower by STEP. */
const TURN = 0.6;
const STEP = 0.9;
const LEAST = 3;
/** Of so many OSDs one changed by more than the others. */
const ODD = 17;

/** @type {Figure} */
const PUBLISHED = {
  id: 'fake-hdd',
  scope: 'osd',
  hardware: '24 × FAKE-ST18000',
  ceph: '16.2.15',
  osds: 24,
  redundancy: null,
  workload: 'osd bench, 4 MiB writes',
  metric: 'write',
  value: 175 * 2 ** 20,
  unit: 'B/s',
  source: 'Fake, FAST 2024',
  note: '',
  comparable: true,
};

export class FakeComparing {
  /** @param {FakeCluster} cluster @param {() => number} now */
  constructor(cluster, now) {
    this.cluster = cluster;
    this.now = now;
    /** By profile. @type {Map<string, {round: number, set_at: string}>} */
    this.baseline = new Map();
    /** The newest comparison: its pages are asked for one by one.
     * @type {{pair: string, rows: OsdChange[]}} */
    this.compared = { pair: '', rows: [] };
  }

  /** How fast everything is in a round. @param {number} round */
  #level(round) {
    return round > this.cluster.begunWith * TURN ? STEP : 1;
  }

  /** @param {number} a @param {number} b @param {number} offset @param {number} limit @returns {Comparison} */
  rounds(a, b, offset, limit) {
    const against = this.#against(this.cluster.line(a), this.cluster.line(b));
    const setups = ['5f0c', '5f0c'];
    if (against.length) {
      return { ...blank(a, b), verdict: 'not-comparable', why: against, setups };
    }
    const changed = this.#level(b) / this.#level(a);
    const middle = 100 * (changed - 1) + 0.4;
    /** @type {[number, number]} */
    const interval = [middle - 1.6, middle + 1.7];
    const noisy = [a, b].some((id) => this.cluster.line(id).verdict === 'noisy');
    const verdict = noisy ? 'inconclusive' : judged(middle, interval);
    return {
      ...blank(a, b),
      verdict,
      change_percent: middle,
      interval_percent: interval,
      p_value: verdict === 'same' ? 0.4 : 0.00002,
      least_percent: LEAST,
      why: [verdictOf(verdict, middle, interval)],
      osds: this.cluster.count,
      counts: this.#counts(a, b),
      client_latency: felt(changed),
      environment:
        changed === 1 ? [] : [{ name: 'OSD release', was: '19.2.3', now: '20.2.4', setup: true }],
      per_osd: this.#changes(a, b).slice(offset, offset + limit),
      setups: changed === 1 ? setups : ['5f0c', 'a911'],
    };
  }

  /** @param {number} a @param {number} b */
  #counts(a, b) {
    const counts = noCounts();
    for (const { verdict } of this.#changes(a, b)) {
      if (verdict !== 'not-comparable') counts[verdict] += 1;
    }
    return counts;
  }

  /** The rounds that one can be compared with. @param {number} id */
  comparable(id) {
    const own = this.cluster.line(id);
    return this.#lines().filter((line) => line.id !== id && !this.#against(own, line).length);
  }

  /** @param {RoundLine} a @param {RoundLine} b @returns {string[]} */
  #against(a, b) {
    const why = [];
    if (a.profile !== b.profile)
      why.push(
        say('other-profile', { a: a.id, profile_a: a.profile, b: b.id, profile_b: b.profile }),
      );
    for (const { id, verdict, state } of [a, b]) {
      if (verdict !== 'valid' && verdict !== 'noisy')
        why.push(say('round-is', { round: id, verdict: wordOf(verdict ?? state) }));
    }
    return why;
  }

  /** All OSDs, worst first. @param {number} a @param {number} b @returns {OsdChange[]} */
  #changes(a, b) {
    const pair = `${a} ${b}`;
    if (this.compared.pair !== pair) this.compared = { pair, rows: this.#compare(a, b) };
    return this.compared.rows;
  }

  /** @param {number} a @param {number} b @returns {OsdChange[]} */
  #compare(a, b) {
    const changed = this.#level(b) / this.#level(a);
    return Array.from({ length: this.cluster.count }, (_, osd) => {
      const own = osd % ODD === 5 ? 0.82 : osd % ODD === 11 ? 1.1 : 1;
      const change = 100 * (changed * own * (1 + 0.04 * (chance(osd, b, a) - 0.5)) - 1);
      const half = 2 + 5 * chance(osd, a, b);
      /** @type {[number, number]} */
      const interval = [change - half, change + half];
      return {
        osd,
        host: this.cluster.host(osd),
        verdict: judged(change, interval),
        change_percent: change,
        interval_percent: interval,
        p_value: half > 5 ? 0.2 : 0.0004,
      };
    }).sort((one, other) => one.change_percent - other.change_percent);
  }

  /** @param {string | null} profile @returns {History} */
  history(profile) {
    if (!profile) throw new Refused(400, 'EINVAL', 'a profile is needed', 'profile');
    const known = PROFILES.find((one) => one.name === profile);
    if (!known) throw new Refused(404, 'ENOENT', `there is no profile '${profile}'`);
    const block = known.steps[0]?.block_size ?? 1;
    const lines = this.#lines().filter((line) => line.profile === profile);
    const points = lines
      .filter((line) => line.verdict === 'valid')
      .slice(-200)
      .map((line) => this.#point(line, block));
    const turned = points.findIndex((point) => this.#level(point.round) !== 1);
    const enough = turned >= 3 && points.length - turned >= 3;
    const noisy = lines.filter((line) => line.verdict !== 'valid');
    const changes = enough ? [this.#change(points, turned)] : [];
    return {
      profile,
      block_size: block,
      baseline: this.baseline.get(profile)?.round ?? null,
      cv_percent: points.length < 3 ? null : 1.4,
      least_percent: points.length < 3 ? null : LEAST,
      points,
      changes,
      left_out: noisy.map(({ id, verdict, state }) =>
        say('left-out-round', { round: id, why: wordOf(verdict ?? state) }),
      ),
      regression: enough
        ? {
            code: 'PERF_BENCH_REGRESSION',
            message: say('regression', {
              profile,
              percent: 10,
              round: changes[0]?.round,
              before: '200 MiB/s',
              now: '180 MiB/s',
              witnesses: say('witnesses-osds'),
              rounds: 5,
            }),
            evidence: { profile },
          }
        : null,
    };
  }

  /** Ended rounds, oldest first. @returns {RoundLine[]} */
  #lines() {
    const ids = Array.from({ length: this.cluster.rounds }, (_, index) => index + 1);
    return ids
      .filter((id) => this.cluster.exists(id))
      .map((id) => this.cluster.line(id))
      .filter((line) => line.ended_at !== null);
  }

  /** @param {RoundLine} line @param {number} block @returns {HistoryPoint} */
  #point(line, block) {
    const rate = (line.summary.median_bytes_per_second ?? 0) * this.#level(line.id);
    return {
      round: line.id,
      at: line.started_at,
      bytes_per_second: rate,
      iops: rate / block,
      mean_latency: null,
      since_last: [],
    };
  }

  /** @param {HistoryPoint[]} points @param {number} at @returns {ChangePoint} */
  #change(points, at) {
    const sides = [points.slice(0, at), points.slice(at)];
    const [before, after] = sides.map(
      (side) => side.reduce((sum, point) => sum + point.bytes_per_second, 0) / side.length,
    );
    const first = /** @type {HistoryPoint} */ (points[at]);
    return {
      round: first.round,
      at: first.at,
      change_percent: 100 * ((after ?? 1) / (before ?? 1) - 1),
      p_value: 0.00001,
      rounds_before: at,
      rounds_after: points.length - at,
      bytes_per_second_before: before ?? 0,
      bytes_per_second_after: after ?? 0,
      explained_by: [],
    };
  }

  /** @param {number} id @returns {Baseline} */
  setBaseline(id) {
    const line = this.cluster.line(id);
    if (line.verdict !== 'valid') {
      const sentence = `round ${id} is ${line.verdict}: only a valid round can be a baseline`;
      throw new Refused(400, 'EINVAL', sentence, 'id');
    }
    this.baseline.set(line.profile, { round: id, set_at: iso(this.now()) });
    return this.#baseline(line);
  }

  baselines() {
    return [...this.baseline.values()].map(({ round }) => this.#baseline(this.cluster.line(round)));
  }

  /** @param {RoundLine} line @returns {Baseline} */
  #baseline(line) {
    const rate = (line.summary.median_bytes_per_second ?? 0) * this.#level(line.id);
    return {
      profile: line.profile,
      round: line.id,
      set_at: this.baseline.get(line.profile)?.set_at ?? null,
      started_at: line.started_at,
      label: line.label,
      block_size: line.block_size,
      bytes_per_second: rate,
      iops: rate / line.block_size,
    };
  }

  references() {
    return [PUBLISHED];
  }

  /** @param {RoundLine} line @returns {Context[]} */
  context(line) {
    if (line.ended_at === null || line.profile !== 'osd-throughput') return [];
    const value = line.summary.median_bytes_per_second ?? 0;
    const ratio = value / PUBLISHED.value;
    return [
      {
        medium: 'hdd',
        osds: this.cluster.count,
        value,
        unit: 'B/s',
        ratio,
        figure: PUBLISHED,
        least: null,
        most: null,
        near: null,
        line: published(ratio),
      },
    ];
  }
}

/** Words for rounds that cannot be compared. */
const VERDICTS = /** @type {Readonly<Record<string, string>>} */ ({
  queued: 'state-queued',
  noisy: 'verdict-noisy',
  'too-short': 'verdict-too-short',
  contaminated: 'verdict-contaminated',
  aborted: 'verdict-aborted',
  failed: 'verdict-failed',
});

/** @param {string} word */
function wordOf(word) {
  return say(VERDICTS[word] ?? 'state-running');
}

/** @param {Change} verdict @param {number} change @param {[number, number]} interval */
function verdictOf(verdict, change, [low, high]) {
  const room = say('change-room', { low, high });
  if (verdict === 'same') return say('change-same', { room, margin: 5 });
  if (verdict === 'inconclusive')
    return say('change-unclear', { room, doubts: [say('doubt-none')] });
  return say('change-counts', { change, room, least: LEAST });
}

/** A line beside a published figure. @param {number} ratio */
function published(ratio) {
  const { hardware, source } = PUBLISHED;
  const work = say('published-fresh', { size: '4 MiB', operation: say('published-write') });
  const subject = say('published-subject', { work, medium: 'hdd' });
  const values = { subject, ratio, figure: '175 MiB/s', work: 'osd bench', hardware, source };
  return say('published-measured', values);
}

/** @param {number} a @param {number} b */
function blank(a, b) {
  return {
    a,
    b,
    change_percent: null,
    interval_percent: null,
    p_value: null,
    least_percent: null,
    osds: 0,
    environment: [],
    per_osd: [],
    latency: null,
    counts: noCounts(),
    client_latency: { a: null, b: null, change_percent: null },
  };
}

/** @param {number} change @param {[number, number]} interval @returns {Change} */
function judged(change, [low, high]) {
  if (low > 0 && change >= LEAST) return 'better';
  if (high < 0 && change <= -LEAST) return 'worse';
  return low > -5 && high < 5 ? 'same' : 'inconclusive';
}

function noCounts() {
  return { better: 0, worse: 0, same: 0, inconclusive: 0 };
}

/** What clients felt of both rounds. @param {number} changed */
function felt(changed) {
  const a = { before_ms: 4, median_ms: 6, highest_ms: 12, times: 1.5 };
  const b = { ...a, median_ms: 6 / changed, times: 1.5 / changed };
  return { a, b, change_percent: 100 * (1 / changed - 1) };
}
