/* Written by tools/types.mjs from schema.json: change the classes of answers. */

/***/
export type Severity = 'error' | 'warning' | 'info';
/***/
export type Change = 'better' | 'worse' | 'same' | 'inconclusive' | 'not-comparable';
/***/
export type FindingState = 'open' | 'muted' | 'closed';
/***/
export type Verdict = 'valid' | 'noisy' | 'too-short' | 'contaminated' | 'aborted' | 'failed';
/***/
export type OsdState = 'ok' | 'suspect' | 'slow' | 'no-data';
/***/
export type QuiesceState = 'idle' | 'held' | 'restore-pending';
/***/
export type RoundState = 'queued' | 'running' | 'done' | 'aborted' | 'failed';
/***/
export type Missed = 'once' | 'skip';
/***/
export type WorkerState = 'ready' | 'busy' | 'lost' | 'duplicate' | 'mismatched';

/**
 * The answers of /api/perf_bench, as the dashboard's back end gives them and the tab reads them. More keys may come, none is renamed. An answer's schema stands under $defs by the name that x-answers gives.
 */
export interface PerfBench {}
/**
 * What an operator noted on a finding.*/
export interface Acknowledgement {
  text: string;
  /**
   * ISO 8601 in UTC
   */
  at: string;
  /**
   * Who noted it; null: not named, as ceph-mgr does not tell modules whose key a command came with.
   */
  by: string | null;
}
/**
 * The round that runs; progress from 0 to 1.*/
export interface ActiveRound {
  id: number;
  profile: string;
  phase: string;
  progress: number;
  eta_seconds: number | null;
  samples: number;
  samples_planned: number;
  /**
   * OSDs whose bench takes longer than 30 s, the longest first.
   */
  waits_for: number[];
}
/**
 * Whether a round may start now: every refusal, and everything that could not be checked.*/
export interface Admission {
  allowed: boolean;
  reasons: string[];
  refusals: AdmissionRefusal[];
  /**
   * Whether force overrides every refusal.
   */
  forceable: boolean;
  unknown: Unknown[];
  /**
   * Health checks that stand and do not prevent it.
   */
  tolerated: HealthCheck[];
}
/**
 * One reason against a round. `forceable`: `--force` may override it.*/
export interface AdmissionRefusal {
  code: string;
  message: string;
  forceable: boolean;
}
/**
 * Something that could not be checked because it is unknown.*/
export interface Unknown {
  code: string;
  message: string;
  essential: boolean;
}
/**
 * One of the cluster's health checks. `error`: HEALTH_ERR, else HEALTH_WARN.*/
export interface HealthCheck {
  code: string;
  summary: string;
  error: boolean;
  muted: boolean;
}
/**
 * What the doctor says: one thing, once, about all that have it.*/
export interface Advice {
  code: string;
  severity: Severity;
  target: Target;
  message: string;
  /**
   * The figures behind it, by name.
   */
  evidence: {
    [k: string]: unknown;
  };
  /**
   * The command that mends it.
   */
  fix: string;
  /**
   * Where that is known from.
   */
  source: string;
  /**
   * All it is about; empty for the whole.
   */
  osds: number[];
}
/**
 * What it is about.*/
export interface Target {
  kind: string;
  id: string;
}
/**
 * What a change of several OSDs did; left: how many another call would change.*/
export interface Applied {
  changed: number[];
  left: number;
  /**
   * OSDs whose proposal is out of Ceph's range and was not set.
   */
  needs_consent: number[];
  /**
   * Settings that are not put back: somebody else has set them since.
   */
  theirs: Left[];
  /**
   * Settings that are not put back yet.
   */
  waiting: Outcome[];
}
/**
 * A change that is not put back, because somebody else has changed the setting.*/
export interface Left {
  what: string;
  was: string | null;
  now: string | null;
  gone: boolean;
}
/**
 * What became of a change.*/
export interface Outcome {
  what: string;
  was: string | null;
  why: string;
}
/**
 * The round that later ones of its profile are held against.*/
export interface Baseline {
  profile: string;
  round: number;
  /**
   * ISO 8601 in UTC
   */
  set_at: string;
  /**
   * ISO 8601 in UTC
   */
  started_at: string | null;
  label: string;
  block_size: number;
  bytes_per_second: number | null;
  iops: number | null;
}
/**
 * A slot of an enclosure with the OSDs on its disk. slot is null where only the enclosure is known.*/
export interface Bay {
  /**
   * The first of osds.
   */
  osd: number | null;
  /**
   * Those with their data on it.
   */
  osds: number[];
  /**
   * Those with only their DB or WAL on it.
   */
  db_of: number[];
  slot: number | null;
  host: string | null;
  device: string | null;
  status: string | null;
  fault: boolean | null;
  /**
   * down, out, or what the watch holds it for, of several OSDs the worst; null: no OSD.
   */
  osd_state: string | null;
}
/**
 * What mClock takes an OSD to be capable of; IOPS of random writes of 4 KiB.*/
export interface Capacity {
  osd: number;
  class: string | null;
  option: string;
  configured_iops: number | null;
  measured_iops: number | null;
  round: number | null;
  /**
   * The lowest and the highest that Ceph takes for plausible.
   *
   * @minItems 2
   * @maxItems 2
   */
  plausible: [number, number];
  source: 'osd' | 'cluster' | 'default';
  verdict:
    'ok' | 'far' | 'implausible' | 'unmeasured' | 'unlikely' | 'unused' | 'unknown' | 'rejected';
  proposed: number | null;
  /**
   * What is proposed is out of Ceph's range: it is set only with beyond.
   */
  consent: boolean;
  /**
   * Its newest valid rounds of small writes.
   */
  rounds: number;
}
/**
 * One of Ceph's own alerts about slow OSDs: what it means, and whether these are slow now.*/
export interface CephAlert {
  code: string;
  title: string;
  summary: string;
  severity: 'error' | 'warning';
  muted: boolean;
  osds: number[];
  slow: number[];
  suspect: number[];
  unjudged: number[];
  peers_text: string;
  meaning: string;
  action: string;
}
/**
 * From this round on the level, a geometric mean, is another one.*/
export interface ChangePoint {
  round: number;
  /**
   * ISO 8601 in UTC
   */
  at: string;
  change_percent: number;
  p_value: number;
  rounds_before: number;
  rounds_after: number;
  bytes_per_second_before: number;
  bytes_per_second_after: number;
  /**
   * Differences in setup; empty where nobody knows of a reason.
   */
  explained_by: Difference[];
}
/**
 * A difference in the environment of two rounds.*/
export interface Difference {
  name: string;
  was: string;
  now: string;
  setup: boolean;
}
/**
 * One setting in `quiesce status`; `unread` says why `now` is not known.*/
export interface Changed {
  what: string;
  was: string | null;
  want: string | null;
  now: string | null;
  unread: string | null;
}
/**
 * What a round with all its repeats would write to the OSDs of one device class.*/
export interface ClassWear {
  class: string | null;
  osds: number;
  bytes_per_osd: number;
  device_bytes: number | null;
  sizes_unknown: number;
  full_write_percent: number | null;
  rated_writes_per_day: number;
  rated_day_percent: number | null;
  budget_bytes: number;
  budget_percent: number | null;
  used_percent: number | null;
  used_unknown: number;
}
/**
 * Clients' mean latency while the round runs; null with too few operations.*/
export interface ClientLatency {
  before_ms: number | null;
  points: LatencyPoint[];
}
/**
 * What clients felt in one minute.*/
export interface LatencyPoint {
  /**
   * ISO 8601 in UTC
   */
  at: string;
  ms: number | null;
}
/**
 * All OSDs ("") or a device class.*/
export interface ClusterGroup {
  group: string;
  rows: (number | null)[][];
}
/**
 * The cluster over time. Work in rows of columns (operations, bytes and recovered bytes per second, placement groups that are scrubbed), and for each group of OSDs rows of unix seconds, OSDs with data, median, 95th and 99th percentile of the OSDs' mean latencies in milliseconds.*/
export interface ClusterLatency {
  /**
   * Newest first, the newest 50 of each kind.
   */
  events: Event[];
  /**
   * By kind how many older ones there are.
   */
  events_left_out: {
    [k: string]: number;
  };
  /**
   * "told", "hidden" from users without config-opt read, or why the changes, or some of them, are not known.
   */
  configuration: string;
  /**
   * ISO 8601 in UTC
   */
  from: string;
  /**
   * ISO 8601 in UTC
   */
  to: string;
  channel: string;
  channels: string[];
  columns: string[];
  work: (number | null)[][];
  groups: ClusterGroup[];
}
/**
 * Something that happened; keys that its kind does not have are null or empty.*/
export interface Event {
  kind: 'round' | 'finding' | 'restart' | 'down' | 'config';
  /**
   * ISO 8601 in UTC
   */
  at: string | null;
  /**
   * ISO 8601 in UTC
   */
  until: string | null;
  id: number | null;
  /**
   * A round's profile, a finding's code, an option.
   */
  name: string;
  text: string;
  osds: number[];
  /**
   * How many more there are that are not kept.
   */
  osds_left_out: number;
  before: string | null;
  after: string | null;
}
/**
 * Which OSDs stood out when, in columns of the last 24 h.*/
export interface ClusterStrip {
  /**
   * ISO 8601 in UTC
   */
  from: string;
  column_seconds: number;
  columns: number;
  /**
   * Of how many of the columns there is data.
   */
  columns_known: number;
  /**
   * The OSDs that stood out longest.
   */
  rows: StripRow[];
  /**
   * How many more stood out.
   */
  left_out: number;
}
/**
 * An OSD that stood out; a cell is "-" without data, "0" where it did not, else 1 to 3.*/
export interface StripRow {
  osd: number;
  host: string;
  cells: string;
}
/**
 * Who is compared with whom; a lasting slowdown below minimum_detectable_ratio is not seen.*/
export interface CohortReport {
  name: string;
  members: number;
  judged: number;
  channel: string | null;
  minimum_detectable_ratio: number | null;
}
/**
 * Round b against round a, positive is faster, with the osds that both measured, worst first.*/
export interface Comparison {
  a: number;
  b: number;
  verdict: Change;
  why: string[];
  /**
   * Null if the rounds are not comparable or have too few samples.
   */
  change_percent: number | null;
  /**
   * The 95 % confidence interval.
   *
   * @minItems 2
   * @maxItems 2
   */
  interval_percent: [number, number] | null;
  p_value: number | null;
  /**
   * The change that counts at all.
   */
  least_percent: number | null;
  osds: number;
  per_osd: OsdChange[];
  environment: Difference[];
  /**
   * Null but for rounds of clients, which have no OSDs.
   */
  latency: Latency | null;
  /**
   * A hash of what each round was set up on.
   */
  setups: string[];
  /**
   * How many OSDs changed how.
   */
  counts: {
    [k: string]: number;
  };
}
/**
 * One OSD in both rounds; `p_value` is corrected for the number of OSDs (Holm).*/
export interface OsdChange {
  osd: number;
  host: string;
  verdict: Change;
  /**
   * Null with too few samples.
   */
  change_percent: number | null;
  /**
   * @minItems 2
   * @maxItems 2
   */
  interval_percent: [number, number] | null;
  p_value: number | null;
}
/**
 * The change of clients' mean latency (positive: slower) with its 95 % interval.*/
export interface Latency {
  verdict: Change;
  change_percent: number;
  /**
   * @minItems 2
   * @maxItems 2
   */
  interval_percent: [number, number];
  p_value: number;
}
/**
 * A conclusion from the figures, with the figures as evidence.*/
export interface Conclusion {
  code: string;
  message: string;
  evidence: {
    [k: string]: unknown;
  };
}
/**
 * What is looked at.*/
export interface Coverage {
  /**
   * How many kinds of things.
   */
  looks: number;
  /**
   * Of how many of these nothing is missing.
   */
  complete: number;
  /**
   * What could not be looked at, the first ones in words.
   */
  gaps: string[];
  /**
   * How many gaps there are beside these.
   */
  more: number;
}
/**
 * What OSDs spend on checksums, and errors of links and media. A page of OSDs, and the errors of links and media that grow fastest (at most 500 each).*/
export interface Crc {
  osds: OsdChecksums[];
  links: CrcErrors[];
  /**
   * How many more there are.
   */
  links_left_out: number;
  media: CrcErrors[];
  /**
   * How many more there are.
   */
  media_left_out: number;
  lower_bound: string;
  /**
   * Until when OSDs are asked that do not send the time of their checksums: ask again then; null: none is asked.
   */
  asking_until: string | null;
}
/**
 * An OSD's time on checksums of reads, of all its op threads' time (0 to 1); null: not known.*/
export interface OsdChecksums {
  osd: number;
  host: string;
  class: string | null;
  checksum_share: number | null;
  window_seconds: number | null;
  op_threads: number | null;
  /**
   * Whether the OSD was asked for this share, because it does not send it (Ceph 16).
   */
  asked: boolean;
  /**
   * Of the others of its class.
   */
  peers_median: number | null;
  bytes_per_second: number | null;
  /**
   * ISO 8601 in UTC
   */
  hot_since: string | null;
  /**
   * Of the last day.
   */
  peak_share: number | null;
  /**
   * ISO 8601 in UTC
   */
  peak_at: string | null;
}
/**
 * A count of errors of a link or of a medium.*/
export interface CrcErrors {
  /**
   * The first of osds.
   */
  osd: number | null;
  /**
   * Those with their data on it.
   */
  osds: number[];
  /**
   * Those with only their DB or WAL on it.
   */
  db_of: number[];
  host: string;
  device: string | null;
  phy: string | null;
  kind:
    | 'udma_crc'
    | 'invalid_dword'
    | 'running_disparity'
    | 'loss_of_dword_sync'
    | 'phy_reset_problem'
    | 'pcie_correctable'
    | 'pcie_nonfatal'
    | 'pcie_fatal'
    | 'read_retries'
    | 'read_errors'
    | 'pending_sectors'
    | 'media_errors'
    | 'grown_defects'
    | 'failing'
    | 'spare_blocks_low'
    | 'temperature_warning'
    | 'reliability_degraded'
    | 'read_only'
    | 'memory_backup_failed'
    | 'persistent_memory_unreliable';
  count: number;
  /**
   * By how much it grew within a day; null: read once, or not in this day.
   */
  per_day: number | null;
  enclosure: string | null;
  slot: number | null;
  /**
   * SAS host and expander of the phy.
   */
  expander: string | null;
  /**
   * ISO 8601 in UTC
   */
  since: string | null;
  /**
   * ISO 8601 in UTC
   */
  read_at: string;
}
/**
 * How the figures of all OSDs of a round are distributed.*/
export interface Distribution {
  osds: number;
  histograms: Histograms;
}
/**
 * How many OSDs have which figure; null if none has it.*/
export interface Histograms {
  percent_of_peers: Histogram | null;
  bytes_per_second: Histogram | null;
  iops: Histogram | null;
}
/**
 * Counts of OSDs in equal bins: bin i is from `(first + i) * width` on.*/
export interface Histogram {
  first: number;
  width: number;
  counts: number[];
  slow: number[];
  count: number;
  low: number;
  high: number;
  median: number;
}
/**
 * Another part of an enclosure: a fan, a power supply, a sensor, an expander.*/
export interface Element {
  type: string;
  name: string | null;
  status: string | null;
}
/**
 * One enclosure, whoever sees it over however many paths.*/
export interface Enclosure {
  id: string;
  serial: string | null;
  vendor: string | null;
  model: string | null;
  hosts: string[];
  /**
   * Hosts whose newest facts have it no more.
   */
  missing_on: string[];
  /**
   * By host over how many ways it is reached.
   */
  paths: {
    [k: string]: number;
  };
  /**
   * map: known from the CRUSH map only; path: as the SAS expander in the OSDs' metadata; both without slots.
   */
  source: 'facts' | 'map' | 'path';
  state: 'ok' | 'degraded' | 'fault' | 'unknown';
  /**
   * What speaks against it, the gravest first.
   */
  suspects: string[];
  osds: number;
  osds_down: number;
  slots: Bay[];
  elements: Element[];
}
/**
 * A time in which PGs were laggy, short gaps included.*/
export interface Episode {
  /**
   * ISO 8601 in UTC
   */
  from: string;
  /**
   * Null while it lasts, as seconds.
   */
  to: string | null;
  seconds: number | null;
  /**
   * The highest number of laggy PGs.
   */
  peak: number;
  laggy_pg_seconds: number;
  /**
   * Empty if no OSD stands out.
   */
  suspects: Suspect[];
  /**
   * How many more there are.
   */
  suspects_left_out: number;
  /**
   * The PGs stayed laggy although nothing is wrong at their OSDs.
   */
  stuck: boolean;
  pools: string[];
  /**
   * How many more there are.
   */
  pools_left_out: number;
  /**
   * The bench round that ran meanwhile.
   */
  round: number | null;
}
/**
 * An OSD that may have caused laggy PGs.*/
export interface Suspect {
  osd: number;
  host: string | null;
  laggy_pg_seconds: number;
  /**
   * The share of its own PGs' time that was laggy.
   */
  share: number;
  /**
   * The share of all laggy PG-seconds in PGs on it.
   */
  part: number;
  /**
   * The time without reports from it.
   */
  stale_seconds: number;
  /**
   * The most slow operations that it reported.
   */
  slow_ops: number;
}
/**
 * For one OSD, at most.*/
export interface Estimate {
  seconds: number;
  bytes_per_osd: number;
}
/**
 * A published figure, as published; null: not published.*/
export interface Figure {
  id: string;
  /**
   * What was measured: cluster, host, osd, core or drive.
   */
  scope: string;
  hardware: string;
  ceph: string | null;
  osds: number | null;
  redundancy: string | null;
  workload: string;
  metric: string;
  value: number;
  unit: string;
  source: string;
  note: string;
}
/**
 * Something wrong, with the figures behind it, and its life.*/
export interface Finding {
  id: number;
  code: string;
  severity: Severity;
  target: Target;
  message: string;
  evidence: {
    [k: string]: unknown;
  };
  /**
   * ISO 8601 in UTC
   */
  first_seen: string;
  /**
   * ISO 8601 in UTC
   */
  last_seen: string;
  state: FindingState;
  /**
   * ISO 8601 in UTC
   */
  muted_until: string | null;
  /**
   * ISO 8601 in UTC
   */
  closed_at: string | null;
  /**
   * What an operator noted on it; null: nothing.
   */
  acknowledged: Acknowledgement | null;
  /**
   * What next, with commands; null: it is closed, or of an unknown kind.
   */
  next_steps: NextSteps | null;
}
/**
 * What to check, how to relieve it now, how to stop or replace the part safely.*/
export interface NextSteps {
  check: NextStep[];
  relieve: NextStep[];
  replace: NextStep[];
}
/**
 * A step, and its command for a shell; null: none.*/
export interface NextStep {
  text: string;
  command: string | null;
}
/**
 * Open findings by severity.*/
export interface FindingCounts {
  error: number;
  warning: number;
  info: number;
}
/**
 * A finding as one would tell it to a person, the evidence last.*/
export interface FindingDetail {
  id: number;
  code: string;
  severity: Severity;
  target: Target;
  message: string;
  evidence: {
    [k: string]: unknown;
  };
  /**
   * ISO 8601 in UTC
   */
  first_seen: string;
  /**
   * ISO 8601 in UTC
   */
  last_seen: string;
  state: FindingState;
  /**
   * ISO 8601 in UTC
   */
  muted_until: string | null;
  /**
   * ISO 8601 in UTC
   */
  closed_at: string | null;
  /**
   * What an operator noted on it; null: nothing.
   */
  acknowledged: Acknowledgement | null;
  /**
   * What next, with commands; null: it is closed, or of an unknown kind.
   */
  next_steps: NextSteps | null;
  /**
   * Who is at fault, and who suffers, as far as it is known.
   */
  conclusion: string;
  /**
   * What the cluster's clients get now, against the hour before it began; null: it is over, or of a kind that slows no client.
   */
  harm: string | null;
  /**
   * The command to type first.
   */
  command: string | null;
}
/**
 * A kind of finding: what it means, and what to do about it.*/
export interface FindingKind {
  code: string;
  title: string;
  meaning: string;
  action: string;
  /**
   * The worst it is raised with.
   */
  severity: 'error' | 'warning' | 'info';
}
/**
 * Units that could not be looked at, for one reason.*/
export interface Gap {
  code: string;
  /**
   * How many; units names some of them.
   */
  count: number;
  units: string[];
  why: string;
  /**
   * A command that completes it if it is run on each of the hosts of 'on'.
   */
  command: string | null;
  on: string[];
  /**
   * What would help, "" if nothing but time does.
   */
  help: string;
  /**
   * The earliest time from which on it holds; null: not known.
   */
  since: string | null;
  /**
   * They were looked at in part.
   */
  partly: boolean;
}
/**
 * A profile's comparable rounds, oldest first, and where their level changed.*/
export interface History {
  profile: string;
  block_size: number;
  points: HistoryPoint[];
  changes: ChangePoint[];
  /**
   * The variation within levels; null under 3 rounds.
   */
  cv_percent: number | null;
  /**
   * The change that counts at all.
   */
  least_percent: number | null;
  /**
   * The other rounds, and why they are not in it.
   */
  left_out: string[];
  /**
   * When the oldest round was that was read, if there are older ones.
   */
  read_since: string | null;
  /**
   * The ID of a round.
   */
  baseline: number | null;
  regression: Conclusion | null;
}
/**
 * A round in its profile's history: the median over its OSDs, or over its repeats of clients.*/
export interface HistoryPoint {
  round: number;
  /**
   * ISO 8601 in UTC
   */
  at: string;
  bytes_per_second: number;
  iops: number;
  /**
   * What was set up differently since the one before, which may explain a change.
   */
  since_last: Difference[];
  /**
   * Seconds, of rounds of clients. With a fixed number of operations in flight it follows the rate (Little's law), so it is only shown.
   */
  mean_latency: number | null;
  repeats: number;
}
/**
 * A host and what it told of itself; null: nothing.*/
export interface Host {
  host: string;
  osds: number[];
  /**
   * How many of its OSDs the watch calls slow; null: it has a verdict on none of them.
   */
  slow: number | null;
  /**
   * The highest latency of its OSDs over what their peers take; null: not known.
   */
  worst_ratio: number | null;
  /**
   * ISO 8601 in UTC
   */
  collected_at: string | null;
  /**
   * ISO 8601 in UTC
   */
  received_at: string | null;
  age_seconds: number | null;
  sections: string[];
  /**
   * Who told its facts; null: nobody.
   */
  source: 'host' | 'orchestrator' | null;
}
/**
 * A host with its findings.*/
export interface HostDetail {
  host: string;
  osds: number[];
  /**
   * How many of its OSDs the watch calls slow; null: it has a verdict on none of them.
   */
  slow: number | null;
  /**
   * The highest latency of its OSDs over what their peers take; null: not known.
   */
  worst_ratio: number | null;
  /**
   * ISO 8601 in UTC
   */
  collected_at: string | null;
  /**
   * ISO 8601 in UTC
   */
  received_at: string | null;
  age_seconds: number | null;
  sections: string[];
  /**
   * Who told its facts; null: nobody.
   */
  source: 'host' | 'orchestrator' | null;
  told: {
    [k: string]: string | number | null;
  } | null;
  findings: Finding[];
  /**
   * How many more there are.
   */
  findings_left_out: number;
}
/**
 * What another tool measured, taken over. `began` and `ended` are unix seconds.*/
export interface Imported {
  tool: string;
  version: string;
  jobs: Job[];
}
/**
 * One kind of operation of one job. Sizes are bytes, times seconds; None is unknown.*/
export interface Job {
  name: string;
  operation: string;
  seconds: number;
  bytes: number;
  bytes_per_second: number;
  operations: number | null;
  iops: number | null;
  block_size: number;
  mean_latency: number | null;
  min_latency: number | null;
  max_latency: number | null;
  p50_latency: number | null;
  p95_latency: number | null;
  p99_latency: number | null;
}
/**
 * A finding's OSDs against their peers, and what happened from two hours before it began.*/
export interface Incident {
  /**
   * Newest first, the newest 50 of each kind.
   */
  events: Event[];
  /**
   * By kind how many older ones there are.
   */
  events_left_out: {
    [k: string]: number;
  };
  /**
   * "told", "hidden" from users without config-opt read, or why the changes, or some of them, are not known.
   */
  configuration: string;
  finding: number;
  /**
   * ISO 8601 in UTC
   */
  began: string | null;
  osds: number[];
  series: PeerSeries | null;
  /**
   * ISO 8601 in UTC
   */
  changes_from: string | null;
  /**
   * ISO 8601 in UTC
   */
  changes_to: string | null;
  /**
   * How much of the time from changes_from to changes_to was watched.
   */
  known_seconds: number;
}
/**
 * OSDs over time against the band of their peers. Rows of columns, at in unix seconds, latencies in milliseconds: the median of the OSDs, then 10th percentile, median and 90th percentile of the peers.*/
export interface PeerSeries {
  /**
   * ISO 8601 in UTC
   */
  from: string;
  /**
   * ISO 8601 in UTC
   */
  to: string;
  channel: string;
  cohort: string;
  /**
   * Those that are shown.
   */
  osds: number[];
  /**
   * Peers that the band is of.
   */
  peers: number;
  all_peers: number;
  columns: string[];
  rows: (number | null)[][];
}
/**
 * `measured` of `planned` OSDs have figures. `slowest` against their class first.*/
export interface Interim {
  measured: number;
  planned: number;
  classes: InterimClass[];
  slowest: InterimOsd[];
}
/**
 * The OSDs of one device class that have figures; the spans are of their medians.*/
export interface InterimClass {
  class: string | null;
  osds: number;
  bytes_per_second: Span;
  iops: Span;
}
/**
 * The lowest, the median and the highest of several figures.*/
export interface Span {
  low: number;
  median: number;
  high: number;
}
/**
 * One OSD so far; `percent_of_class` compares it with the median of its class.*/
export interface InterimOsd {
  osd: number;
  host: string;
  class: string | null;
  bytes_per_second: number;
  iops: number;
  percent_of_class: number;
}
/**
 * Laggy PGs now, of all pgs, by OSD and pool, and the episodes, newest first.*/
export interface Laggy {
  now: LaggyNow;
  /**
   * Of each episode the OSDs that were affected most.
   */
  osds: LaggyOsd[];
  /**
   * The most OSDs of one episode that are not counted in it.
   */
  osds_left_out: number;
  pools: LaggyPool[];
  episodes: Episode[];
  /**
   * How many older ones are kept.
   */
  episodes_left_out: number;
}
/**
 * Counts at the newest tick.
 */
export interface LaggyNow {
  laggy: number;
  wait: number;
  pgs: number;
  /**
   * ISO 8601 in UTC
   */
  at: string | null;
}
/**
 * What one OSD had of laggy PGs; share is of its own PGs' time, 0 to 1.*/
export interface LaggyOsd {
  osd: number;
  host: string | null;
  laggy_pg_seconds: number;
  share: number;
}
/**
 * A pool's laggy and waiting PGs now, and the PG-seconds they were laggy in all.*/
export interface LaggyPool {
  pool: string;
  laggy: number;
  wait: number;
  laggy_pg_seconds: number;
}
/**
 * Counts of PGs at the newest tick; pgs counts all.*/
export interface LaggyNow1 {
  laggy: number;
  wait: number;
  pgs: number;
  /**
   * ISO 8601 in UTC
   */
  at: string | null;
}
/**
 * What a round measured of an OSD.*/
export interface LastBench {
  round: number;
  profile: string;
  verdict: Verdict | null;
  /**
   * ISO 8601 in UTC
   */
  at: string | null;
  bytes_per_second: number | null;
  iops: number | null;
  cv_percent: number | null;
  robust_z: number | null;
  percent_of_peers: number | null;
}
/**
 * Thresholds of verdicts and bounds of requests. An OSD is slow in a bench at slow_percent of its peers and robust z slow_z, or at half_percent and half_z, and below; in the watch from watch_ratio on. A series counts frames of frame_seconds with frame_ratio times the peers' latency.*/
export interface Limits {
  slow_percent: number;
  slow_z: number;
  half_percent: number;
  half_z: number;
  watch_ratio: number;
  frame_seconds: number;
  frame_ratio: number;
  max_clients: number;
  max_threads: number;
  min_seconds: number;
  max_seconds: number;
  max_rests: number;
  min_every_seconds: number;
  max_import_bytes: number;
}
/**
 * A running round as far as it is; null or empty where it does not run.*/
export interface Live {
  id: number;
  phase: string | null;
  repeat: number | null;
  clients: LiveClient[];
  wave: number | null;
  waves: number | null;
  osds: Interim;
  /**
   * Null for rounds of clients, whose operations are most of all.
   */
  client_latency: ClientLatency | null;
}
/**
 * A client of the repeat that runs; rows of series as of LoadClient.*/
export interface LiveClient {
  client: number;
  series: number[][];
}
/**
 * A client in one repeat. Latencies are seconds; a row of series is second, operations finished by then, their mean latency.*/
export interface LoadClient {
  repeat: number;
  client: number;
  /**
   * ISO 8601 in UTC
   */
  started_at: string | null;
  seconds: number;
  operations: number;
  bytes_per_second: number;
  mean_latency: number;
  min_latency: number;
  max_latency: number;
  series: number[][];
  /**
   * The worker that ran it; empty: it ran beside the mgr.
   */
  worker: string;
}
/**
 * The load of a round's clients in each repeat; for the fields see LoadOrder.*/
export interface LoadPlan {
  pool: string;
  operation: string;
  seconds: number;
  clients: number;
  threads: number;
  size: number;
  max_objects: number;
  bytes_per_repeat: number;
  saturates: boolean;
  workers: string[];
}
/**
 * A load with the means of its runs; latencies are seconds.*/
export interface LoadPoint {
  clients: number;
  threads: number;
  /**
   * Operations in flight at any time, all clients together.
   */
  in_flight: number;
  runs: number;
  bytes_per_second: number;
  lowest_bytes_per_second: number;
  highest_bytes_per_second: number;
  iops: number;
  mean_latency: number;
  p99_latency: number | null;
}
/**
 * A worker in one repeat. Its clock was so many seconds ahead of the mgr's, within clock_error, and it started so late.*/
export interface LoadWorker {
  id: string;
  host: string;
  clock_offset: number;
  clock_error: number;
  late_seconds: number;
  repeat: number;
  /**
   * Which of the clients it ran.
   */
  clients: number[];
  bytes_per_second: number;
}
/**
 * One thing that is looked at: looked units of total, for findings with these codes.*/
export interface Look {
  name: string;
  what: string;
  unit: string;
  total: number;
  looked: number;
  partly: number;
  complete: boolean;
  codes: string[];
  /**
   * What of it could not be looked at; sentences say it in words.
   */
  gaps: Gap[];
  summary: string;
  sentences: string[];
}
/**
 * An option of the module, mgr/perf_bench/NAME, with its present value.*/
export interface ModuleOption {
  name: string;
  group: 'watch' | 'thresholds' | 'rounds' | 'history' | 'metrics' | 'health';
  /**
   * bool, int or str; min and max are bounds of an int.
   */
  type: 'bool' | 'int' | 'str';
  value: boolean | number | string;
  default: boolean | number | string;
  min: number | null;
  max: number | null;
  help: string;
  /**
   * Whether a change takes effect at once; else when a mgr becomes active.
   */
  at_once: boolean;
}
/**
 * A disk of several paths, or an OSD that stands on one of several (bare).*/
export interface Multipath {
  osd: number | null;
  osds: number[];
  db_of: number[];
  host: string;
  name: string;
  wwid: string | null;
  paths: Path[];
  expected: number | null;
  /**
   * The paths that are known to be.
   */
  active: number;
  /**
   * How often paths were lost within a day.
   */
  drops: number;
  /**
   * Unknown: the host's facts are old, or do not tell the states of all paths.
   */
  state: 'ok' | 'degraded' | 'failed' | 'flapping' | 'bare' | 'unknown';
}
/**
 * One path of a disk.*/
export interface Path {
  device: string;
  hctl: string | null;
  state: string | null;
}
/**
 * An OSD in a list. Latencies are those of the newest minute; ratio is over what its peers take, robust_z positive for slower. Without data null.*/
export interface Osd {
  osd: number;
  host: string;
  class: string | null;
  up: boolean;
  in: boolean;
  /**
   * CRUSH bucket names by bucket type.
   */
  location: {
    [k: string]: string;
  };
  enclosure: string | null;
  device: string | null;
  model: string | null;
  commit_ms: number | null;
  apply_ms: number | null;
  read_ms: number | null;
  write_ms: number | null;
  queue_ms: number | null;
  ratio: number | null;
  robust_z: number | null;
  risk: number;
  state: OsdState;
  /**
   * ISO 8601 in UTC
   */
  since: string | null;
  last_bench: LastBench | null;
  /**
   * Why it has no verdict, and what would help; null where it has one.
   */
  no_data: Gap | null;
}
/**
 * One OSD with its history of rounds, newest first.*/
export interface OsdDetail {
  osd: number;
  host: string;
  class: string | null;
  up: boolean;
  in: boolean;
  /**
   * CRUSH bucket names by bucket type.
   */
  location: {
    [k: string]: string;
  };
  enclosure: string | null;
  device: string | null;
  model: string | null;
  commit_ms: number | null;
  apply_ms: number | null;
  read_ms: number | null;
  write_ms: number | null;
  queue_ms: number | null;
  ratio: number | null;
  robust_z: number | null;
  risk: number;
  state: OsdState;
  /**
   * ISO 8601 in UTC
   */
  since: string | null;
  last_bench: LastBench | null;
  /**
   * Why it has no verdict, and what would help; null where it has one.
   */
  no_data: Gap | null;
  /**
   * Of its drive, as its host told it, else Ceph's device ID.
   */
  serial: string | null;
  /**
   * By kind what its drive counts, 1 for a warning that it gives (SMART, as its host told it); null: not told.
   */
  smart: {
    [k: string]: number;
  } | null;
  /**
   * 0 to 1, in the OSD map.
   */
  primary_affinity: number | null;
  /**
   * 0 to 1, in the OSD map.
   */
  reweight: number | null;
  /**
   * What 'osd relieve' changed; null: the journal was not read yet.
   */
  relieved: Relieved[] | null;
  history: LastBench[];
  findings: Finding[];
  explain: string;
  /**
   * The sentences of explain, one by one.
   */
  sentences: string[];
}
/**
 * A relief of an OSD, as the journal has it.*/
export interface Relieved {
  what: 'primary_affinity' | 'reweight';
  was: number;
  set_to: number;
  /**
   * ISO 8601 in UTC
   */
  since: string;
}
/**
 * All OSDs as the watch sees them, in columns. A row has a value for each of columns, in their order. The state is its place in states.*/
export interface OsdLatency {
  columns: string[];
  states: string[];
  rows: (number | null)[][];
}
/**
 * All OSDs in columns; a row has a value for each of columns, in their order.*/
export interface OsdMap {
  columns: string[];
  rows: (string | number | boolean | null)[][];
}
/**
 * One OSD's result. Figures are medians over its `samples` valid samples.*/
export interface OsdResult {
  osd: number;
  host: string;
  class: string | null;
  model: string | null;
  samples: number;
  seconds: number;
  median_call_seconds: number | null;
  median_bytes_per_second: number | null;
  median_iops: number | null;
  cv_percent: number | null;
  robust_z: number | null;
  percent_of_peers: number | null;
}
/**
 * An OSD's latencies over time, by channel rows of columns. at in unix seconds, the span's seconds, mean and maximum (of 15 s) in milliseconds, operations, frames of 15 s that were at least twice as slow as the peers'.*/
export interface OsdSeries {
  osd: number;
  from: string;
  to: string;
  columns: string[];
  channels: {
    [k: string]: (number | null)[][];
  };
  /**
   * The band of its peers in the channel that was asked for; null: none was.
   */
  peers: PeerSeries | null;
}
/**
 * One OSD compared with its peers.*/
export interface OsdVerdict {
  osd: number;
  /**
   * Its latency over that of its peers.
   */
  ratio: number | null;
  /**
   * Null: not known, as nobody looked when it began.
   */
  since: string | null;
}
/**
 * Where an OSD's operations spend their time; the first of sentences is the conclusion.*/
export interface OsdWhy {
  osd: number;
  /**
   * Complete, or asking until the time that is told.
   */
  state: string;
  asked_at: string;
  until: string;
  sentences: string[];
  not_told: string[];
  /**
   * Shares (0 to 1) of clients' operations, by stage; empty without any.
   */
  operations: {
    [k: string]: number;
  };
  sampled: OsdWhySampled;
  /**
   * The same of the operations that it does as a replica.
   */
  sub_operations: {
    [k: string]: number;
  };
  sub_sampled: OsdWhySampled;
  waits_for: OsdWhyWait[];
  waited_for_by: OsdWhyWait[];
  /**
   * The greatest first, as in blocked_by.
   */
  behind: OsdWhyBehind[];
  blocked_by: OsdWhyBlocked[];
  background: OsdWhyBackground[];
  counters: OsdWhyCounter[];
  /**
   * The time of the counters' figures; null since the OSD's start.
   */
  counter_seconds: number | null;
  peers: OsdWhyPeer[];
}
/**
 * How many operations shares are of, their time in all and the longest one.*/
export interface OsdWhySampled {
  operations: number;
  in_flight: number;
  seconds: number;
  longest_seconds: number;
}
/**
 * What waits for an OSD, or which OSD waits.*/
export interface OsdWhyWait {
  osd: number;
  /**
   * Of sub-operations.
   */
  seconds: number;
  /**
   * Their share (0 to 1) of all such of the one that waits.
   */
  share: number;
  operations: number;
}
/**
 * An OSD, and the seconds that all asked OSDs wait for it.*/
export interface OsdWhyBehind {
  osd: number;
  seconds: number;
}
/**
 * A reason for which operations were blocked, with seconds.*/
export interface OsdWhyBlocked {
  reason: string;
  seconds: number;
}
/**
 * Work of Ceph's own on placement groups (PGs) of the OSD, while it was asked.*/
export interface OsdWhyBackground {
  kind: string;
  words: string;
  pgs: number;
  /**
   * So many are queued for it.
   */
  waiting: number;
  /**
   * The median of pgs of the other OSDs; null without any.
   */
  others: number | null;
  /**
   * What bounds it, with the scheduler of the OSD.
   */
  option: string;
}
/**
 * A latency counter: its mean in milliseconds, and that of the other OSDs.*/
export interface OsdWhyCounter {
  counter: string;
  words: string;
  ms: number;
  operations: number;
  others: OsdWhyMean[];
}
/**
 * The mean of a counter on another OSD in milliseconds.*/
export interface OsdWhyMean {
  osd: number;
  ms: number;
}
/**
 * Another OSD that was asked; role is peer, or suspect for one that is waited for.*/
export interface OsdWhyPeer {
  osd: number;
  host: string;
  role: string;
  operations: number;
  problems: string[];
}
/**
 * A part of a round that has several, after the rest before it. seconds_since_load counts from the end of the part in which all worked together.*/
export interface Part {
  name: string;
  rest_seconds: number;
  /**
   * ISO 8601 in UTC
   */
  started_at: string | null;
  /**
   * ISO 8601 in UTC
   */
  ended_at: string | null;
  osds: number[];
  seconds_since_load: number | null;
  writes: PartFigures | null;
  reads: PartFigures | null;
}
/**
 * One operation of a part. The median over its OSDs, and what they reach of what each reached before.*/
export interface PartFigures {
  median_bytes_per_second: number | null;
  median_iops: number | null;
  percent_of_before: number | null;
}
/**
 * The newest pass of what compares what should be with what is.*/
export interface Pass {
  name: string;
  /**
   * ISO 8601 in UTC
   */
  last_pass_at: string | null;
  seconds: number | null;
  /**
   * ISO 8601 in UTC
   */
  failing_since: string | null;
  problem: string | null;
}
/**
 * A run that is due and has not started; reasons are why not yet.*/
export interface Pending {
  /**
   * ISO 8601 in UTC
   */
  due: string;
  /**
   * ISO 8601 in UTC
   */
  retry_at: string;
  /**
   * ISO 8601 in UTC
   */
  until: string;
  tries: number;
  reasons: string[];
}
/**
 * One step on waves of OSDs, which run at the same time, after a rest.*/
export interface Phase {
  name: string;
  /**
   * What it belongs to in a round of several parts, else "".
   */
  part: string;
  rest_seconds: number;
  step: Step;
  waves: number[][];
}
/**
 * The work of one sample: a call of osd bench, or a read; sizes in bytes.*/
export interface Step {
  operation: string;
  block_size: number;
  total_bytes: number;
  object_size: number;
  object_count: number;
  prefilled: boolean;
}
/**
 * The answer to a dry run: what a start would do.*/
export interface Plan {
  /**
   * Of each device class.
   */
  wear: ClassWear[];
  /**
   * The settings that are changed meanwhile; null where they cannot be read now.
   */
  holds: SettingChange[] | null;
  /**
   * They are put back after this time in any case.
   */
  held_seconds: number;
  profile: string;
  step: Step;
  phases: Phase[];
  repeats: number;
  waves: number[][];
  targets: string[];
  samples: number;
  bytes: number;
  bytes_per_osd: number;
  seconds: number;
  seconds_basis: string;
  notes: string[];
  /**
   * What would be changed in the cluster while the round runs, and put back.
   */
  quiesce: string[];
  admission: Admission;
  max_repeats: number;
  /**
   * If all repeats up to max_repeats are needed.
   */
  most_bytes_per_osd: number;
  /**
   * If all repeats up to max_repeats are needed.
   */
  most_seconds: number;
  /**
   * Null but for rounds of kind rados.
   */
  load: LoadPlan | null;
  /**
   * In all, if all repeats up to max_repeats are needed.
   */
  most_bytes: number;
}
/**
 * One change of a setting, as it is recorded before it is made; null: it is not set.*/
export interface SettingChange {
  what: string;
  was: string | null;
  want: string | null;
}
/**
 * One thing that is wrong now.*/
export interface Problem {
  kind: 'slow' | 'laggy' | 'hardware' | 'advice' | 'operation';
  /**
   * What says more of it.
   */
  page: 'finding' | 'laggy' | 'enclosure' | 'paths' | 'doctor';
  severity: Severity;
  target: Target;
  text: string;
  /**
   * What to do.
   */
  action: string;
  /**
   * The ID of the finding; null: it is none, or none yet.
   */
  finding: number | null;
  /**
   * Null: not known.
   */
  since: string | null;
  /**
   * Whether it is left out of health.
   */
  muted: boolean;
  /**
   * What the cluster's clients get now, and got before; null: not known, or nothing.
   */
  harm: string | null;
}
/**
 * A recipe of rounds. A round with a CV over max_cv_percent is noisy.*/
export interface Profile {
  name: string;
  kind: string;
  description: string;
  repeats: number;
  max_cv_percent: number;
  steps: Step[];
  estimate: Estimate1;
  max_repeats: number;
}
/**
 * For one OSD, at most.
 */
export interface Estimate1 {
  seconds: number;
  bytes_per_osd: number;
}
/**
 * What a round has changed in the cluster's settings; the round, if it is known.*/
export interface Quiesce {
  state: QuiesceState;
  /**
   * ISO 8601 in UTC
   */
  since: string | null;
  /**
   * When all is put back at the latest.
   */
  until: string | null;
  holder: string | null;
  changed: Changed[];
  /**
   * Why not all is put back.
   */
  why: string | null;
  /**
   * They undo by hand what is left.
   */
  commands: string[];
  /**
   * Settings for which an order may still be carried out, of a process that died.
   */
  watched: string[];
  /**
   * The outcome of the last round that ended on this mgr.
   */
  last: Restored | null;
  round: number | null;
}
/**
 * How putting back the settings of a round ended.*/
export interface Restored {
  put_back: SettingChange[];
  left: Left[];
}
/**
 * The state after a restore, and its outcome.*/
export interface QuiesceRestored {
  state: QuiesceState;
  /**
   * ISO 8601 in UTC
   */
  since: string | null;
  /**
   * When all is put back at the latest.
   */
  until: string | null;
  holder: string | null;
  changed: Changed[];
  /**
   * Why not all is put back.
   */
  why: string | null;
  /**
   * They undo by hand what is left.
   */
  commands: string[];
  /**
   * Settings for which an order may still be carried out, of a process that died.
   */
  watched: string[];
  /**
   * The outcome of the last round that ended on this mgr.
   */
  last: Restored | null;
  round: number | null;
  complete: boolean;
  put_back: SettingChange[];
  left: Left[];
  waiting: Outcome[];
  unsaved: string | null;
}
/**
 * An error. Detail is one sentence for the user, code a word for programs, field the argument to mend.*/
export interface Refusal {
  detail: string;
  code: string;
  field?: string;
  /**
   * Every cause of a refusal, where there are several.
   */
  reasons?: string[];
}
/**
 * A round with a page of its OSDs, slowest against their peers first unless sorted. With their samples.*/
export interface Round {
  id: number;
  profile: string;
  kind: 'osd' | 'rados' | 'fio' | 'elbencho' | 'warp';
  state: RoundState;
  verdict: Verdict | null;
  label: string;
  /**
   * ISO 8601 in UTC
   */
  created_at: string | null;
  /**
   * ISO 8601 in UTC
   */
  started_at: string | null;
  /**
   * ISO 8601 in UTC
   */
  ended_at: string | null;
  took_seconds: number | null;
  summary: Summary;
  /**
   * Why the stored round cannot be read; the rest is what could be.
   */
  unreadable: string | null;
  block_size: number;
  reasons: string[];
  conclusions: Conclusion[];
  resumed: number;
  repeats: number;
  step: Step;
  waves: number[][];
  /**
   * What was true of the cluster when the round started.
   */
  environment: {
    [k: string]: unknown;
  };
  /**
   * How many OSDs the round has in all.
   */
  osds: number;
  /**
   * How many of its OSDs match the search; per_osd is a page of these.
   */
  found: number;
  per_osd: OsdResult[];
  samples: Sample[];
  max_repeats: number;
  /**
   * What it was started in spite of.
   */
  forced: string[];
  /**
   * Its parts where it has several, else none.
   */
  phases: Part[];
  /**
   * Null but for rounds of kind rados.
   */
  load: LoadPlan | null;
  /**
   * Every client of every repeat, of kind rados.
   */
  clients: LoadClient[];
  /**
   * What each worker did in each repeat; empty where there is none.
   */
  workers: LoadWorker[];
  /**
   * Null but for searches.
   */
  saturation: Saturation | null;
  /**
   * Null but for rounds of other tools.
   */
  imported: Imported | null;
  /**
   * Health checks that stood when it started and were tolerated.
   */
  tolerated: string[];
  /**
   * What others published for the same bench of OSDs of this class; empty without that.
   */
  beside: string;
}
/**
 * A round in a few figures, medians over OSDs. Or over repeats of clients (latencies in seconds, of the peak in a search); empty until it has some.*/
export interface Summary {
  osds?: number;
  osds_measured?: number;
  median_bytes_per_second?: number | null;
  median_iops?: number | null;
  median_cv_percent?: number | null;
  slowest_osd?: number | null;
  slowest_percent_of_peers?: number | null;
  clients?: number;
  threads?: number;
  operation?: string;
  pool?: string;
  repeats?: number;
  runs?: number;
  spread_percent?: number | null;
  mean_latency?: number | null;
  p50_latency?: number | null;
  p95_latency?: number | null;
  p99_latency?: number | null;
  max_latency?: number | null;
  cv_percent?: number | null;
  first_done?: number | null;
  last_done?: number | null;
  seconds?: number | null;
  jobs?: number;
}
/**
 * One measurement: of an OSD, or of all clients of a repeat. What was not measured is null; why says what happened.*/
export interface Sample {
  target: string;
  phase: string;
  repeat: number;
  wave: number;
  /**
   * ISO 8601 in UTC
   */
  started_at: string | null;
  bytes: number;
  block_size: number;
  seconds: number | null;
  call_seconds: number | null;
  bytes_per_second: number | null;
  iops: number | null;
  valid: boolean;
  why: string | null;
  /**
   * Mean of an operation; clients only.
   */
  latency_ms?: number | null;
  /**
   * Clients only: so many ran.
   */
  clients?: number;
  /**
   * Clients only: operations in flight of each.
   */
  threads?: number;
}
/**
 * What a search found so far.*/
export interface Saturation {
  /**
   * So many runs are made at most.
   */
  most_runs: number;
  /**
   * In the order in which they were made.
   */
  runs: SearchRun[];
  /**
   * By operations in flight.
   */
  curve: LoadPoint[];
  /**
   * The highest throughput.
   */
  peak: LoadPoint | null;
  /**
   * The lowest latency that reaches it within noise.
   */
  knee: LoadPoint | null;
  /**
   * The load to run at.
   */
  recommended: LoadPoint | null;
  /**
   * Why it is recommended.
   */
  reason: string | null;
  /**
   * Whether peak and knee were measured more than once each.
   */
  confirmed: boolean;
}
/**
 * A run of a search; latencies are seconds, null where there is no figure, and why not.*/
export interface SearchRun {
  repeat: number;
  clients: number | null;
  threads: number | null;
  bytes_per_second: number | null;
  mean_latency: number | null;
  p99_latency: number | null;
  why: string | null;
}
/**
 * A round in a list.*/
export interface RoundLine {
  id: number;
  profile: string;
  kind: 'osd' | 'rados' | 'fio' | 'elbencho' | 'warp';
  state: RoundState;
  verdict: Verdict | null;
  label: string;
  /**
   * ISO 8601 in UTC
   */
  created_at: string | null;
  /**
   * ISO 8601 in UTC
   */
  started_at: string | null;
  /**
   * ISO 8601 in UTC
   */
  ended_at: string | null;
  took_seconds: number | null;
  summary: Summary;
  /**
   * Why the stored round cannot be read; the rest is what could be.
   */
  unreadable: string | null;
  block_size: number;
}
/**
 * A round that starts by itself.*/
export interface Schedule {
  name: string;
  profile: string;
  /**
   * Its interval as it is typed, as 7d.
   */
  every: string | null;
  cron: string | null;
  window: string | null;
  timezone: string;
  osds: string | null;
  missed: Missed;
  paused: boolean;
  /**
   * ISO 8601 in UTC
   */
  next: string | null;
  /**
   * The next ones; none while it is paused or its times cannot be told.
   */
  next_runs: string[];
  waiting: Pending | null;
  last_round: number | null;
  /**
   * The word for its last round, or why none started.
   */
  last_result: string | null;
  /**
   * ISO 8601 in UTC
   */
  not_started_since: string | null;
  /**
   * Why its times cannot be told.
   */
  problem: string | null;
}
/**
 * Whether schedules run, and when the next one is due.*/
export interface Scheduler {
  enabled: boolean;
  /**
   * ISO 8601 in UTC
   */
  next: string | null;
}
/**
 * OSDs that rounds of the last week found slow and that no open finding is about.*/
export interface SlowInRounds {
  /**
   * How many.
   */
  osds: number;
  /**
   * The slowest.
   */
  worst: SlowestInRounds[];
}
/**
 * The slowest OSD of a round.*/
export interface SlowestInRounds {
  osd: number;
  round: number;
  percent_of_peers: number;
}
/**
 * The round that was started, aborted or removed.*/
export interface Started {
  id: number;
}
/**
 * How things stand.*/
export interface Status {
  version: string;
  release: string;
  active_round: ActiveRound | null;
  scheduler: Scheduler1;
  findings: FindingCounts1;
  watch: Watch;
  store: Store;
  quiesce: StatusQuiesce;
  suspects: Suspects;
  slow_in_rounds: SlowInRounds1;
  coverage: Coverage1;
  /**
   * Everything that is wrong now, worst first; problems_left_out counts the rest.
   */
  problems: Problem[];
  problems_left_out: number;
  /**
   * What each part of the module's loop did last, and since when it fails.
   */
  reconcilers: Pass[];
  /**
   * OSDs that 'osd relieve' changed; null: the journal was not read yet.
   */
  relieved_osds: number | null;
  limits: Limits;
}
/**
 * Whether schedules run, and when the next one is due.
 */
export interface Scheduler1 {
  enabled: boolean;
  /**
   * ISO 8601 in UTC
   */
  next: string | null;
}
/**
 * Open findings by severity.
 */
export interface FindingCounts1 {
  error: number;
  warning: number;
  info: number;
}
/**
 * What is watched, and how the watch itself is: problem says what keeps it from looking or writing, lost_rows counts what the database would not take.
 */
export interface Watch {
  on: boolean;
  osds: number;
  tick_seconds: number | null;
  /**
   * OSDs that have a verdict on their latencies now.
   */
  judged: number;
  /**
   * ISO 8601 in UTC
   */
  since: string | null;
  /**
   * ISO 8601 in UTC
   */
  last_tick_at: string | null;
  /**
   * By how much the next tick is late; 0 if it is not.
   */
  late_seconds: number;
  last_tick_cpu_seconds: number | null;
  errors: number;
  problem: string | null;
  lost_rows: number;
}
/**
 * The database in the cluster; error says why it does not answer, ready that this mgr has read it: before that no round starts.
 */
export interface Store {
  backend: string | null;
  rounds: number | null;
  schema_version: number | null;
  /**
   * Why it does not answer.
   */
  error: string | null;
  /**
   * The size of the database; free_bytes of it are unused, limit_bytes is the most that it may take.
   */
  bytes: number | null;
  free_bytes: number | null;
  limit_bytes: number;
  /**
   * Whether this mgr has read it: before that no round starts.
   */
  ready: boolean;
  integrity: string;
}
/**
 * What a round holds still.
 */
export interface StatusQuiesce {
  state: string | null;
}
/**
 * OSDs that seem slow, for too short a time or too uncertainly for a finding.*/
export interface Suspects {
  /**
   * How many.
   */
  osds: number;
  /**
   * The slowest.
   */
  worst: OsdVerdict[];
}
/**
 * OSDs that a round of the last week measured as slow against their peers and that no open finding is about: how many, and the slowest.
 */
export interface SlowInRounds1 {
  /**
   * How many.
   */
  osds: number;
  /**
   * The slowest.
   */
  worst: SlowestInRounds[];
}
/**
 * How many kinds of things are looked at, of how many nothing is missing, and the first gaps in words; more counts the rest.
 */
export interface Coverage1 {
  /**
   * How many kinds of things.
   */
  looks: number;
  /**
   * Of how many of these nothing is missing.
   */
  complete: number;
  /**
   * What could not be looked at, the first ones in words.
   */
  gaps: string[];
  /**
   * How many gaps there are beside these.
   */
  more: number;
}
/**
 * What a round holds still; null: nothing.*/
export interface StatusQuiesce1 {
  state: string | null;
}
/**
 * The database in the cluster.*/
export interface Store1 {
  backend: string | null;
  rounds: number | null;
  schema_version: number | null;
  /**
   * Why it does not answer.
   */
  error: string | null;
  /**
   * The size of the database; free_bytes of it are unused, limit_bytes is the most that it may take.
   */
  bytes: number | null;
  free_bytes: number | null;
  limit_bytes: number;
  /**
   * Whether this mgr has read it: before that no round starts.
   */
  ready: boolean;
  integrity: string;
}
/**
 * What a command prints: the answer to a question whose function returns a text.*/
export interface Text {
  text: string;
}
/**
 * A threshold of the detector of slow OSDs, as it is in effect.*/
export interface Threshold {
  name: string;
  value: number;
  default: number;
}
/**
 * What is watched, and how the watch itself is. Problem says what keeps it from looking or writing, lost_rows counts what the database would not take.*/
export interface Watch1 {
  on: boolean;
  osds: number;
  tick_seconds: number | null;
  /**
   * OSDs that have a verdict on their latencies now.
   */
  judged: number;
  /**
   * ISO 8601 in UTC
   */
  since: string | null;
  /**
   * ISO 8601 in UTC
   */
  last_tick_at: string | null;
  /**
   * By how much the next tick is late; 0 if it is not.
   */
  late_seconds: number;
  last_tick_cpu_seconds: number | null;
  errors: number;
  problem: string | null;
  lost_rows: number;
}
/**
 * A host that waits to run clients of rounds.*/
export interface Worker {
  id: string;
  host: string;
  version: string;
  /**
   * Another one each time it starts.
   */
  instance: string;
  state: WorkerState;
  /**
   * ISO 8601 in UTC
   */
  last_seen: string;
  /**
   * Seconds its clock is ahead of the mgr's, plus or minus clock_error; null: it does not answer.
   */
  clock_offset: number | null;
  clock_error: number | null;
  /**
   * A sentence about it; empty where there is nothing to say.
   */
  note: string;
}

/** By route the rights that it always needs: scope and permission of the dashboard's roles. */
export const RIGHTS = {
  'GET status': ['osd read'],
  'GET profile': ['osd read'],
  'POST round': ['osd create'],
  'GET round': ['osd read'],
  'GET round/ID': ['osd read'],
  'GET round/ID/live': ['osd read'],
  'POST round/ID/abort': ['osd create'],
  'DELETE round/ID': ['osd delete'],
  'POST round/import': ['osd create'],
  'GET profile/history': ['osd read'],
  'GET round/compare': ['osd read'],
  'POST baseline': ['osd create'],
  'GET baseline': ['osd read'],
  'GET reference': ['osd read'],
  'GET round/ID/distribution': ['osd read'],
  'GET round/ID/file': ['osd read'],
  'GET worker': ['osd read'],
  'POST schedule': ['osd create'],
  'GET schedule': ['osd read'],
  'DELETE schedule/NAME': ['osd delete'],
  'POST schedule/NAME/pause': ['osd create'],
  'POST schedule/NAME/resume': ['osd create'],
  'GET quiesce': ['osd read'],
  'POST quiesce/restore': ['osd create', 'config-opt update'],
  'GET option': ['osd read'],
  'GET option/threshold': ['osd read'],
  'GET mclock': ['osd read'],
  'POST mclock/apply': ['osd create', 'config-opt update'],
  'POST mclock/restore': ['osd create', 'config-opt update'],
  'GET doctor': ['osd read'],
  'GET osd': ['osd read'],
  'GET osd/ID': ['osd read'],
  'GET osd/ID/why': ['osd read'],
  'GET osd/map': ['osd read'],
  'GET osd/latency': ['osd read'],
  'GET finding': ['osd read'],
  'GET alert': ['osd read'],
  'GET finding/kind': ['osd read'],
  'POST finding/ID/mute': ['osd create'],
  'POST finding/ID/ack': ['osd create'],
  'GET finding/ID': ['osd read'],
  'GET finding/ID/incident': ['osd read'],
  'GET cohort': ['osd read'],
  'GET coverage': ['osd read'],
  'GET laggy': ['osd read'],
  'GET osd/ID/series': ['osd read'],
  'GET cluster/latency': ['osd read'],
  'GET cluster/strip': ['osd read'],
  'GET report': ['osd read'],
  'GET host': ['osd read'],
  'GET host/NAME': ['osd read'],
  'GET enclosure': ['osd read'],
  'GET enclosure/ID': ['osd read'],
  'GET multipath': ['osd read'],
  'GET crc': ['osd read'],
} as const;
/** Answers by their route. */
export interface Gets {
  status: Status;
  'round/ID': Round;
  'round/ID/live': Live;
  'profile/history': History;
  'round/compare': Comparison;
  'round/ID/distribution': Distribution;
  'round/ID/file': Text;
  quiesce: Quiesce;
  'osd/ID': OsdDetail;
  'osd/ID/why': OsdWhy;
  'osd/map': OsdMap;
  'osd/latency': OsdLatency;
  'finding/ID': FindingDetail;
  'finding/ID/incident': Incident;
  laggy: Laggy;
  'osd/ID/series': OsdSeries;
  'cluster/latency': ClusterLatency;
  'cluster/strip': ClusterStrip;
  report: Text;
  'host/NAME': HostDetail;
  'enclosure/ID': Enclosure;
  crc: Crc;
}

/** Entries of lists by their route. */
export interface Lists {
  profile: Profile;
  round: RoundLine;
  baseline: Baseline;
  reference: Figure;
  worker: Worker;
  schedule: Schedule;
  option: ModuleOption;
  'option/threshold': Threshold;
  mclock: Capacity;
  doctor: Advice;
  osd: Osd;
  finding: Finding;
  alert: CephAlert;
  'finding/kind': FindingKind;
  cohort: CohortReport;
  coverage: Look;
  host: Host;
  enclosure: Enclosure;
  multipath: Multipath;
}

/** Answers to what changes something, by its route. */
export interface Posts {
  round: Started;
  'round/ID/abort': Started;
  'round/import': Started;
  baseline: Baseline;
  schedule: Schedule;
  'schedule/NAME/pause': Schedule;
  'schedule/NAME/resume': Schedule;
  'quiesce/restore': QuiesceRestored;
  'mclock/apply': Applied;
  'mclock/restore': Applied;
  'finding/ID/mute': Finding;
  'finding/ID/ack': Finding;
}
