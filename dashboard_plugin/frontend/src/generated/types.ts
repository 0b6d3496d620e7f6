/* Written by tools/types.mjs from schema/perf_bench.json: change it there. */

/***/
export type RoundState = 'queued' | 'running' | 'done' | 'aborted' | 'failed';
/***/
export type Verdict = 'valid' | 'noisy' | 'too-short' | 'aborted' | 'failed';

/**
 * The answers of /api/perf_bench, as the dashboard's back end gives them and the tab reads them. More keys may come, none is renamed. An answer's schema stands under $defs by the name that x-answers gives.
 */
export interface PerfBench {}
/**
 * How things stand.*/
export interface Status {
  version: string;
  release: string;
  active_round: ActiveRound | null;
  /**
   * The scheduler.
   */
  scheduler: {
    enabled: boolean;
    next: unknown;
  };
  /**
   * Open findings by severity.
   */
  findings: {
    error: number;
    warning: number;
    info: number;
  };
  /**
   * What is watched.
   */
  watch: {
    osds: number;
    tick_seconds: number | null;
    /**
     * ISO 8601 in UTC; null: not yet.
     */
    last_tick_at: string | null;
  };
  /**
   * The database in the cluster; error says why it does not answer.
   */
  store: {
    backend: string | null;
    rounds: number | null;
    schema_version: number | null;
    error?: string | null;
  };
  /**
   * What a round holds still.
   */
  quiesce: {
    state: string;
  };
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
}
/**
 * One call of osd bench; sizes in bytes, operations on prefilled objects when prefilled.*/
export interface Step {
  phase: string;
  block_size: number;
  total_bytes: number;
  object_size: number;
  object_count: number;
  prefilled: boolean;
}
/**
 * A recipe of rounds; the estimate is for one OSD, at most.*/
export interface Profile {
  name: string;
  kind: string;
  description: string;
  repeats: number;
  max_cv_percent: number;
  steps: Step[];
  /**
   * For one OSD, at most.
   */
  estimate: {
    seconds: number;
    bytes_per_osd: number;
  };
}
/**
 * A round in a few figures, medians over OSDs; empty until it has some.*/
export interface Summary {
  osds?: number;
  osds_measured?: number;
  median_bytes_per_second?: number | null;
  median_iops?: number | null;
  median_cv_percent?: number | null;
  slowest_osd?: number | null;
  slowest_percent_of_peers?: number | null;
}
/**
 * A round in a list.*/
export interface RoundLine {
  id: number;
  profile: string;
  kind: 'osd' | 'rados';
  state: RoundState;
  verdict: Verdict | null;
  label: string;
  /**
   * ISO 8601 in UTC; null: not yet.
   */
  created_at: string | null;
  /**
   * ISO 8601 in UTC; null: not yet.
   */
  started_at: string | null;
  /**
   * ISO 8601 in UTC; null: not yet.
   */
  ended_at: string | null;
  took_seconds: number | null;
  summary: Summary;
}
/**
 * A round with a page of its OSDs, slowest against their peers first, and their samples.*/
export interface Round {
  id: number;
  profile: string;
  kind: 'osd' | 'rados';
  state: RoundState;
  verdict: Verdict | null;
  label: string;
  /**
   * ISO 8601 in UTC; null: not yet.
   */
  created_at: string | null;
  /**
   * ISO 8601 in UTC; null: not yet.
   */
  started_at: string | null;
  /**
   * ISO 8601 in UTC; null: not yet.
   */
  ended_at: string | null;
  took_seconds: number | null;
  summary: Summary;
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
  per_osd: OsdResult[];
  samples: Sample[];
}
/**
 * Something the figures say, with the figures.*/
export interface Conclusion {
  code: string;
  message: string;
  evidence: {
    [k: string]: unknown;
  };
}
/**
 * One OSD's share of a round; figures are medians over its valid samples.*/
export interface OsdResult {
  osd: number;
  host: string;
  class: string | null;
  model: string | null;
  samples: number;
  seconds: number | null;
  median_call_seconds: number | null;
  median_bytes_per_second: number | null;
  median_iops: number | null;
  cv_percent: number | null;
  robust_z: number | null;
  percent_of_peers: number | null;
}
/**
 * One measurement; figures that were not measured are null, why says what happened.*/
export interface Sample {
  target: string;
  phase: string;
  repeat: number;
  wave: number;
  /**
   * ISO 8601 in UTC; null: not yet.
   */
  started_at: string | null;
  call_seconds: number | null;
  bytes: number;
  block_size: number;
  seconds: number | null;
  bytes_per_second: number | null;
  iops: number | null;
  valid: boolean;
  why: string | null;
}
/**
 * The answer to a dry run: what a start would do.*/
export interface Plan {
  profile: string;
  step: Step;
  repeats: number;
  waves: number[][];
  targets: string[];
  samples: number;
  bytes: number;
  bytes_per_osd: number;
  seconds: number;
  seconds_basis: string;
  notes: string[];
  quiesce: unknown[];
  /**
   * Whether it may start now.
   */
  admission: {
    allowed: boolean;
    reasons: string[];
  };
}
/**
 * The round that was started, aborted or removed.*/
export interface Started {
  id: number;
}
/**
 * What a round measured of an OSD.*/
export interface LastBench {
  round: number;
  profile: string;
  verdict: Verdict | null;
  /**
   * ISO 8601 in UTC; null: not yet.
   */
  at: string | null;
  bytes_per_second: number | null;
  iops: number | null;
  cv_percent: number | null;
  robust_z: number | null;
  percent_of_peers: number | null;
}
/**
 * An OSD in a list. Figures that nobody watches yet are null.*/
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
  robust_z: number | null;
  risk: number | null;
  state: 'ok' | 'suspect' | 'slow' | 'no-data';
  /**
   * ISO 8601 in UTC; null: not yet.
   */
  since: string | null;
  last_bench: LastBench | null;
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
  robust_z: number | null;
  risk: number | null;
  state: 'ok' | 'suspect' | 'slow' | 'no-data';
  /**
   * ISO 8601 in UTC; null: not yet.
   */
  since: string | null;
  last_bench: LastBench | null;
  history: LastBench[];
  findings: unknown[];
  explain: string;
}
/**
 * All OSDs in columns; a row has a value for each of columns, in their order.*/
export interface OsdMap {
  columns: string[];
  rows: (string | number | boolean | null)[][];
}
/**
 * An error: detail is one sentence for the user, code a word for programs, field the argument to mend.*/
export interface Refusal {
  detail: string;
  code: string;
  field?: string;
}
