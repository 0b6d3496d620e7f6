/** What a fake round that runs has measured so far, and the settings that it holds. */
import { iso } from './cluster.mjs';

/** @import {Live, OsdResult, Quiesce, QuiesceRestored, Span} from '../src/generated/types.js' */
/** @import {FakeCluster} from './cluster.mjs' */

/** @param {FakeCluster} cluster @param {{id: number, begun: number}} active @param {number} progress @param {number} now @returns {Live} */
export function interimOf(cluster, active, progress, now) {
  const measured = Math.floor(cluster.count * Math.min(1, 3 * progress));
  const rows = cluster
    .order()
    .slice(0, measured)
    .map((osd) => cluster.result(osd, active.id));
  const classes = [...new Set(rows.map((row) => row.class))].sort();
  const points = Math.floor((now - active.begun) / 15_000);
  return {
    id: active.id,
    phase: 'write',
    repeat: 1 + Math.floor(3 * progress),
    clients: [],
    wave: 1 + (Math.floor(progress * 60) % 20),
    waves: 20,
    osds: {
      measured,
      planned: cluster.count,
      classes: classes.map((name) => {
        const own = rows.filter((row) => row.class === name);
        const rates = own.map((row) => row.median_bytes_per_second ?? 0);
        const iops = own.map((row) => row.median_iops ?? 0);
        return { class: name, osds: own.length, bytes_per_second: span(rates), iops: span(iops) };
      }),
      slowest: rows.slice(0, 5).map((row) => ({
        class: row.class,
        osd: row.osd,
        host: row.host,
        bytes_per_second: row.median_bytes_per_second ?? 0,
        iops: row.median_iops ?? 0,
        percent_of_class: row.percent_of_peers ?? 0,
      })),
    },
    client_latency: {
      before_ms: 4.1,
      points: Array.from({ length: points }, (_, place) => ({
        at: iso(active.begun + place * 15_000),
        ms: 6 + 2 * Math.sin(place),
      })),
    },
  };
}

/** @param {{id: number, begun: number, samples: number} | null} active @param {number} now @param {boolean} left @returns {Quiesce} */
export function quiesce(active, now, left) {
  const state = active ? 'held' : left ? 'restore-pending' : 'idle';
  const changes = [
    { what: 'flag/noscrub', was: 'unset', want: 'set', now: 'set', unread: null },
    { what: 'balancer', was: 'on', want: 'off', now: 'off', unread: null },
  ];
  return {
    state,
    since: state === 'idle' ? null : iso(active?.begun ?? now),
    until: state === 'idle' ? null : iso((active?.begun ?? now) + 3600_000),
    holder: state === 'idle' ? null : `round ${active?.id ?? 12}`,
    round: active?.id ?? null,
    changed: state === 'idle' ? [] : changes,
    why: state === 'restore-pending' ? 'the monitors did not answer' : null,
    commands_left_out: 0,
    commands: state === 'idle' ? [] : ['ceph osd unset noscrub', 'ceph balancer on'],
    watched: [],
    last: null,
  };
}

/** @param {Quiesce} status @returns {QuiesceRestored} */
export function restored(status) {
  const put_back = [{ what: 'flag/noscrub', now: 'unset' }];
  return { ...status, complete: true, put_back, left: [], waiting: [], unsaved: null };
}

/** @param {number[]} values @returns {Span} */
function span(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const [low = 0, median = 0, high = 0] = [sorted[0], sorted[sorted.length >> 1], sorted.at(-1)];
  return { low, median, high };
}
