/** Kinds of findings, as the module describes them; the last is one that no page knows of. */

/** @import {EvidenceField, FindingKind} from '../src/generated/types.js' */

const COMMON = words({ osds: 'OSDs', host: 'host' });
const SLOW = {
  ...COMMON,
  ...words({ path: 'rule that found it', channel: 'kind of operation' }, 'word'),
  ...words({ cohort: 'compared with' }),
  ...words({ ratio: 'latency over that of the peers, load taken out' }, 'ratio'),
  ...words({ max_ratio: 'highest such ratio' }, 'ratio'),
  ...words({ robust_z: 'distance from the peers in robust standard deviations' }),
  ...words({ latency_ms: 'latency', peers_latency_ms: 'median latency of the peers' }, 'ms'),
  ...words({ share_of_time: 'share of the time it was slow' }, 'fraction'),
  ...words({ explained_by_load: 'part of the ratio that its load explains' }, 'ratio'),
  ...words({ minimum_detectable_ratio: 'smallest ratio that can be seen' }, 'ratio'),
  ...words({ bursts_24h: 'slow bursts in 24 h', members: 'number of slow OSDs' }),
  ...words({ peers: 'number of peers' }),
};

/** @type {readonly FindingKind[]} */
export const KINDS = [
  {
    code: 'PERF_BENCH_SLOW_OSD',
    title: 'Slow OSD',
    meaning:
      'The OSD takes longer than OSDs of the same kind for the same work, for so long that chance, load and our own benches are ruled out.',
    action:
      "Look at the device (SMART, cabling, a write cache that is off) and at what else runs on its host; 'ceph perf-bench osd show ID' explains the verdict.",
    severity: 'warning',
    evidence: SLOW,
  },
  {
    code: 'PERF_BENCH_SLOW_HOST',
    title: 'Slow host',
    meaning:
      'Most OSDs of the host are slower than those of other hosts, so the cause is the host and not one of its devices. Its OSDs get no findings of their own.',
    action: 'Look at its controller, network, CPU frequency, memory and at what else runs there.',
    severity: 'warning',
    evidence: SLOW,
  },
  {
    code: 'PERF_BENCH_LAGGY_PGS',
    title: 'Laggy placement groups',
    meaning:
      'A PG answers no reads while it is laggy: its primary waits for an OSD that does not renew its lease in time. Clients hang meanwhile, though the cluster may look healthy.',
    action:
      "Look at the OSD that is named; 'ceph perf-bench laggy ls' lists the episodes and suspects.",
    severity: 'warning',
    evidence: {
      ...words({ episodes: 'episodes', peak: 'most laggy PGs at once', suspects: 'suspects' }),
      ...words({ laggy_pg_seconds: 'seconds that PGs were laggy, summed' }, 's'),
    },
  },
  {
    code: 'PERF_BENCH_NEW_KIND',
    title: 'New kind of finding',
    meaning: 'It shows every shape that evidence can have.',
    action: 'Run the commands of the evidence.',
    severity: 'error',
    evidence: {
      ...COMMON,
      ...words({ errors: 'error counters', kind: 'kind of error', count: 'count' }),
      ...words({ per_day: 'new in a day', device: 'device', limits: 'limits' }),
      ...words({ since: 'since', at: 'last time' }, 'time'),
      ...words({ bytes_per_second: 'checksum rate' }, 'B/s'),
      ...words({ change_percent: 'change' }, 'percent'),
      ...words({ commands: 'commands that restore them' }, 'command'),
    },
  },
];

/** @param {Record<string, string>} keys @param {string} [unit] @returns {Record<string, EvidenceField>} */
function words(keys, unit = '') {
  return Object.fromEntries(
    Object.entries(keys).map(([key, text]) => [key, { words: text, unit }]),
  );
}
