/** The fake back end's schedules: one that runs, one that is paused, one that was refused. */
import { PROFILES, iso } from './cluster.mjs';
import { Refused } from './refused.mjs';
import { say } from './say.mjs';

/** @import {FakeCluster} from './cluster.mjs' */
/** @import {Schedule} from '../src/generated/types.js' */

const HOUR = 3600_000;
const DAY = 24 * HOUR;
const UNITS = /** @type {Record<string, number>} */ ({ m: 60, h: 3600, d: 86400, w: 604800 });
const RULES = /** @type {readonly [string, RegExp, string][]} */ ([
  ['name', /^[A-Za-z0-9][\w.-]{0,62}$/, 'is no name for a schedule: letters, digits, . _ and -'],
  ['every', /^\d+[mhdw]$/, 'is not a time: give a number with m, h, d or w, as 30m, 6h or 7d'],
  ['cron', /^(\S+ ){4}\S+$/, 'has not five fields: minute, hour, day, month, day of the week'],
  ['window', /^\d\d:\d\d-\d\d:\d\d$/, 'is no window: give two times, as 01:00-05:00'],
  ['timezone', /^(UTC|\w+\/\w+)$/, 'is not a time zone: give UTC or a name such as Europe/Berlin'],
]);

/** Of a cron line only the day of the week is looked at. @param {string | null} cron */
function cronSeconds(cron) {
  return (cron?.endsWith(' *') === false ? 7 * DAY : DAY) / 1000;
}

export class FakeSchedules {
  /** @param {FakeCluster} cluster @param {() => number} now */
  constructor(cluster, now) {
    this.now = now;
    /** @type {Map<string, Schedule>} */
    this.kept = new Map();
    if (cluster.rounds === 0) return;
    const nightly = this.#made({ name: 'nightly', every: '1d', window: '01:00-05:00' });
    this.kept.set('nightly', { ...nightly, last_round: cluster.rounds, last_result: 'valid' });
    const weekly = this.#made({ name: 'weekly', cron: '0 3 * * 6', timezone: 'Europe/Berlin' });
    const why = say('client-load', { used: 31, most: 20 });
    this.kept.set('weekly', {
      ...weekly,
      profile: 'osd-iops',
      osds: 'class=hdd',
      waiting: {
        due: iso(now() - HOUR),
        retry_at: iso(now() + HOUR / 4),
        until: iso(now() + 3 * HOUR),
        tries: 4,
        reasons: [why],
      },
    });
    const old = this.#made({ name: 'old-disks', every: '7d' });
    this.kept.set('old-disks', {
      ...this.#paused(old),
      missed: 'skip',
      last_result: say('not-started', { why }),
      not_started_since: iso(now() - 3 * DAY),
    });
  }

  list() {
    return [...this.kept.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** @param {Record<string, unknown>} body @returns {Schedule} */
  add(body) {
    const given = Object.fromEntries(
      Object.entries(body).filter(([, value]) => value !== '' && value !== null),
    );
    for (const field of ['name', 'profile'])
      if (!given[field]) throw new Refused(400, 'EINVAL', `'${field}' is needed`, field);
    for (const [field, pattern, sentence] of RULES) {
      const value = given[field];
      if (value !== undefined && !pattern.test(String(value)))
        throw new Refused(400, 'EINVAL', `'${value}' ${sentence}`, field);
    }
    const name = String(given['name']);
    if (this.kept.has(name))
      throw new Refused(400, 'EINVAL', `there is a schedule '${name}': remove it first`, 'name');
    if (!PROFILES.some((one) => one.name === given['profile']))
      throw new Refused(404, 'ENOENT', `there is no profile '${given['profile']}'`);
    if ('every' in given === 'cron' in given)
      throw new Refused(400, 'EINVAL', 'give either --every or --cron', 'every');
    const made = this.#made(given);
    this.kept.set(name, made);
    return made;
  }

  /** @param {Record<string, unknown>} given @returns {Schedule} */
  #made(given) {
    const text = (/** @type {string} */ key) => (given[key] ? String(given[key]) : null);
    const [, count = '1', unit = 'd'] = /^(\d+)([mhdw])$/.exec(text('every') ?? '') ?? [];
    const seconds = text('every') ? Number(count) * (UNITS[unit] ?? 1) : cronSeconds(text('cron'));
    return {
      name: text('name') ?? '',
      profile: text('profile') ?? 'osd-throughput',
      every: text('every'),
      every_seconds: text('every') ? seconds : null,
      cron: text('cron'),
      window: text('window'),
      timezone: text('timezone') ?? 'UTC',
      osds: text('osds'),
      missed: given['missed'] === 'skip' ? 'skip' : 'once',
      ...this.#times(seconds),
      paused: false,
      waiting: null,
      last_round: null,
      last_result: null,
      not_started_since: null,
      problem: null,
    };
  }

  /** @param {number} seconds */
  #times(seconds) {
    const runs = [1, 2, 3].map((turn) => iso(this.now() + turn * seconds * 1000));
    return { next: runs[0] ?? null, next_runs: runs };
  }

  /** @param {Schedule} schedule @returns {Schedule} */
  #paused(schedule) {
    return { ...schedule, paused: true, next: null, next_runs: [], waiting: null };
  }

  /** @param {string} name @returns {Schedule} */
  #known(name) {
    const found = this.kept.get(name);
    if (!found) throw new Refused(404, 'ENOENT', `there is no schedule '${name}'`);
    return found;
  }

  /** @param {string} name */
  remove(name) {
    this.#known(name);
    this.kept.delete(name);
    return { name };
  }

  /** @param {string} name */
  pause(name) {
    const paused = this.#paused(this.#known(name));
    this.kept.set(name, paused);
    return paused;
  }

  /** @param {string} name */
  resume(name) {
    const before = this.#known(name);
    const resumed = {
      ...before,
      paused: false,
      ...this.#times(before.every_seconds ?? cronSeconds(before.cron)),
    };
    this.kept.set(name, resumed);
    return resumed;
  }

  next() {
    const runs = this.list().flatMap(({ next }) => (next ? [next] : []));
    return runs.sort()[0] ?? null;
  }
}
