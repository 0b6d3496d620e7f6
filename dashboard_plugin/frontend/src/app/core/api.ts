import { Injectable, inject } from '@angular/core';
import {
  Advice,
  Applied,
  Baseline,
  Capacity,
  CephAlert,
  ClusterInterval,
  ClusterLatency,
  ClusterStrip,
  Comparison,
  Crc,
  CrcOsd,
  Distribution,
  Enclosure,
  Finding,
  FindingDetail,
  FindingKind,
  History,
  Host,
  HostDetail,
  Incident,
  Laggy,
  Live,
  Look,
  ModuleOption,
  Multipath,
  Osd,
  OsdDetail,
  OsdLatency,
  OsdMap,
  OsdSeries,
  OsdWhy,
  Plan,
  Profile,
  Quiesce,
  QuiesceRestored,
  Round,
  ReportFile,
  RoundFile,
  RoundLine,
  Schedule,
  Started,
  Status,
  Threshold,
  Worker,
} from '../../generated/types';
import { MOST } from './everything';
import { Http, Page, Query } from './http';

/** A page of OSDs, and what is told about all of them beside it. */
export interface CrcPage extends Page<CrcOsd> {
  readonly whole: Crc;
}

/** A whole round as a page to forward, with its figures, its samples, or its rows as stored. */
export type RoundFileKind = 'html' | 'json' | 'csv' | 'raw';

/** What happened in a time, as a page or as data. */
export type ReportKind = 'html' | 'json';

/** What a start is asked for; sizes in bytes. */
export interface StartRequest {
  readonly profile: string;
  readonly osds?: string;
  readonly repeats?: number;
  readonly max_repeats?: number;
  /** Of a sandwich: how long a rest is ("20m"), how many, and which OSDs work alone. */
  readonly rest?: string;
  readonly rests?: number;
  readonly solo?: string;
  readonly size?: number;
  /** Of clients: which pool they load, how many, operations in flight of each, and how long. */
  readonly pool?: string;
  readonly clients?: number;
  readonly threads?: number;
  readonly seconds?: number;
  readonly foreign_pool?: boolean;
  /** Names of workers with commas. */
  readonly workers?: string;
  readonly label?: string;
  readonly force?: boolean;
}

/** What another tool measured: `results` is the text of its file. */
export interface ImportRequest {
  readonly as: string;
  readonly results: string;
  readonly label: string;
}

/** What a schedule is made of, as typed; empty is left to the back end. */
export interface ScheduleRequest {
  readonly name: string;
  readonly profile: string;
  readonly every: string;
  readonly cron: string;
  readonly window: string;
  readonly timezone: string;
  readonly osds: string;
  readonly missed: string;
}

/** The questions this tab asks: one method each. */
@Injectable({ providedIn: 'root' })
export class Api {
  readonly #http = inject(Http);

  status(signal?: AbortSignal): Promise<Status> {
    return this.#http.get('status', {}, signal);
  }

  profiles(signal?: AbortSignal): Promise<Page<Profile>> {
    return this.#http.page('profile', { limit: MOST }, signal);
  }

  rounds(query: Query, signal?: AbortSignal): Promise<Page<RoundLine>> {
    return this.#http.page('round', query, signal);
  }

  /** A round with a page of its OSDs, slowest against their peers first unless sorted. */
  round(id: number, query: Query, signal?: AbortSignal): Promise<Round> {
    return this.#http.get(`round/${id}`, query, signal);
  }

  /** How the figures of all its OSDs and waves are distributed. */
  distribution(id: number, signal?: AbortSignal): Promise<Distribution> {
    return this.#http.get(`round/${id}/distribution`, {}, signal);
  }

  /** A part of a whole round as a file. */
  roundFile(
    id: number,
    kind: RoundFileKind,
    part: number,
    signal?: AbortSignal,
  ): Promise<RoundFile> {
    const query = kind === 'raw' ? { raw: 'true' } : { as: kind };
    return this.#http.get(`round/${id}/file`, { ...query, part }, signal);
  }

  /** What happened in the last 30 days, as a file. */
  report(kind: ReportKind, signal?: AbortSignal): Promise<ReportFile> {
    return this.#http.get('report', { since: '30d', as: kind }, signal);
  }

  /** What a running round has measured so far; asks no database. */
  roundLive(id: number, signal?: AbortSignal): Promise<Live> {
    return this.#http.get(`round/${id}/live`, {}, signal);
  }

  /** The settings that a round has changed. */
  quiesce(signal?: AbortSignal): Promise<Quiesce> {
    return this.#http.get('quiesce', {}, signal);
  }

  /** Put back what a round that runs no more has changed. */
  restoreQuiesced(): Promise<QuiesceRestored> {
    return this.#http.post('quiesce/restore');
  }

  osds(query: Query, signal?: AbortSignal): Promise<Page<Osd>> {
    return this.#http.page('osd', query, signal);
  }

  osd(id: number, signal?: AbortSignal): Promise<OsdDetail> {
    return this.#http.get(`osd/${id}`, {}, signal);
  }

  map(profile: string | null, signal?: AbortSignal): Promise<OsdMap> {
    return this.#http.get('osd/map', { profile }, signal);
  }

  /** What the watch sees of every OSD, apart from its benches. */
  latency(signal?: AbortSignal): Promise<OsdLatency> {
    return this.#http.get('osd/latency', {}, signal);
  }

  /** An OSD's latencies over `since` ("3h"), all channels. */
  series(osd: number, since: string, signal?: AbortSignal): Promise<OsdSeries> {
    return this.#http.get(`osd/${osd}/series`, { since }, signal);
  }

  /** Where an OSD's operations spend their time; the OSD is asked now, and again meanwhile. */
  why(osd: number, signal?: AbortSignal): Promise<OsdWhy> {
    return this.#http.get(`osd/${osd}/why`, {}, signal);
  }

  /** Findings, worst first; `everything` has those that are over too. */
  findings(query: Query, signal?: AbortSignal): Promise<Page<Finding>> {
    return this.#http.page('finding', query, signal);
  }

  /** A finding's OSDs against their peers, what it hurts, what changed then. */
  incident(id: number, query: Query, signal?: AbortSignal): Promise<Incident> {
    return this.#http.get(`finding/${id}/incident`, query, signal);
  }

  /** The cluster and its device classes over time. */
  clusterLatency(query: Query, signal?: AbortSignal): Promise<ClusterLatency> {
    return this.#http.get('cluster/latency', query, signal);
  }

  /** When which OSDs stood out in the last 24 h. */
  clusterStrip(signal?: AbortSignal): Promise<ClusterStrip> {
    return this.#http.get('cluster/strip', {}, signal);
  }

  /** What was different between the two (unix seconds). */
  clusterInterval(begin: number, end: number, signal?: AbortSignal): Promise<ClusterInterval> {
    return this.#http.get('cluster/interval', { begin, end }, signal);
  }

  host(name: string, signal?: AbortSignal): Promise<HostDetail> {
    return this.#http.get(`host/${encodeURIComponent(name)}`, {}, signal);
  }

  finding(id: number, signal?: AbortSignal): Promise<FindingDetail> {
    return this.#http.get(`finding/${id}`, {}, signal);
  }

  /** What each kind of finding means, what to do about it, and the words of its evidence. */
  findingKinds(signal?: AbortSignal): Promise<Page<FindingKind>> {
    return this.#http.page('finding/kind', { limit: MOST }, signal);
  }

  /** Leave a finding out of health for a time, such as "1d". */
  mute(id: number, span: string): Promise<Finding> {
    return this.#http.post(`finding/${id}/mute`, { for: span });
  }

  /** Note on a finding what is known or done about it. */
  acknowledge(id: number, text: string): Promise<Finding> {
    return this.#http.post(`finding/${id}/ack`, { text });
  }

  /** Remove that note. */
  unacknowledge(id: number): Promise<Finding> {
    return this.#http.post(`finding/${id}/ack`, { remove: true });
  }

  laggy(signal?: AbortSignal): Promise<Laggy> {
    return this.#http.get('laggy', {}, signal);
  }

  /** What is looked at, how much of it, and what could not be. */
  coverage(signal?: AbortSignal): Promise<Page<Look>> {
    return this.#http.page('coverage', { limit: MOST }, signal);
  }

  /** Ceph's own alerts about slow OSDs, explained. */
  alerts(signal?: AbortSignal): Promise<Page<CephAlert>> {
    return this.#http.page('alert', { limit: MOST }, signal);
  }

  /** What the doctor advises, worst first. */
  doctor(signal?: AbortSignal): Promise<Page<Advice>> {
    return this.#http.page('doctor', { limit: MOST }, signal);
  }

  enclosures(query: Query, signal?: AbortSignal): Promise<Page<Enclosure>> {
    return this.#http.page('enclosure', query, signal);
  }

  enclosure(id: string, signal?: AbortSignal): Promise<Enclosure> {
    return this.#http.get(`enclosure/${encodeURIComponent(id)}`, {}, signal);
  }

  /** Hosts, with how old what they told of themselves is. */
  hosts(query: Query, signal?: AbortSignal): Promise<Page<Host>> {
    return this.#http.page('host', query, signal);
  }

  /** Disks of several paths. */
  multipaths(query: Query, signal?: AbortSignal): Promise<Page<Multipath>> {
    return this.#http.page('multipath', query, signal);
  }

  /** What checksums take of the OSDs, the highest shares first; errors of links and media. */
  async crc(query: Query, signal?: AbortSignal): Promise<CrcPage> {
    const { body, total } = await this.#http.counted<Crc>('crc', query, signal);
    return { rows: body.osds, total: total ?? body.osds.length, whole: body };
  }

  /** Hosts that wait to run clients of rounds. */
  workers(query: Query, signal?: AbortSignal): Promise<Page<Worker>> {
    return this.#http.page('worker', query, signal);
  }

  /** What mClock takes OSDs to be capable of. */
  capacities(query: Query, signal?: AbortSignal): Promise<Page<Capacity>> {
    return this.#http.page('mclock', query, signal);
  }

  /** The module's options. */
  options(signal?: AbortSignal): Promise<Page<ModuleOption>> {
    return this.#http.page('option', { limit: MOST }, signal);
  }

  /** The thresholds of the detector that are in effect. */
  thresholds(signal?: AbortSignal): Promise<Page<Threshold>> {
    return this.#http.page('option/threshold', { limit: MOST }, signal);
  }

  /** Set an option; null for its default. */
  setOption(name: string, value: string | null): Promise<ModuleOption> {
    const body = value === null ? {} : { value };
    return this.#http.post(`option/${encodeURIComponent(name)}/value`, body);
  }

  applyCapacities(): Promise<Applied> {
    return this.#http.post('mclock/apply');
  }

  restoreCapacities(): Promise<Applied> {
    return this.#http.post('mclock/restore');
  }

  plan(request: StartRequest, signal?: AbortSignal): Promise<Plan> {
    return this.#http.post('round', { ...request, dry_run: true }, signal);
  }

  start(request: StartRequest): Promise<Started> {
    return this.#http.post('round', request);
  }

  importRound(request: ImportRequest): Promise<Started> {
    return this.#http.post('round/import', request);
  }

  abort(id: number): Promise<Started> {
    return this.#http.post(`round/${id}/abort`);
  }

  remove(id: number): Promise<void> {
    return this.#http.delete(`round/${id}`);
  }

  /** Round b against round a, with a page of the OSDs, worst first. */
  compare(a: number, b: number, query: Query, signal?: AbortSignal): Promise<Comparison> {
    return this.#http.get('round/compare', { ...query, a, b }, signal);
  }

  history(profile: string, signal?: AbortSignal): Promise<History> {
    return this.#http.get('profile/history', { profile }, signal);
  }

  baselines(signal?: AbortSignal): Promise<Page<Baseline>> {
    return this.#http.page('baseline', { limit: MOST }, signal);
  }

  /** Hold the later rounds of its profile against this one. */
  setBaseline(id: number): Promise<Baseline> {
    return this.#http.post('baseline', { id });
  }

  schedules(signal?: AbortSignal): Promise<Page<Schedule>> {
    return this.#http.page('schedule', { limit: MOST }, signal);
  }

  addSchedule(request: ScheduleRequest): Promise<Schedule> {
    return this.#http.post('schedule', request);
  }

  pauseSchedule(name: string): Promise<Schedule> {
    return this.#http.post(`schedule/${encodeURIComponent(name)}/pause`);
  }

  resumeSchedule(name: string): Promise<Schedule> {
    return this.#http.post(`schedule/${encodeURIComponent(name)}/resume`);
  }

  removeSchedule(name: string): Promise<void> {
    return this.#http.delete(`schedule/${encodeURIComponent(name)}`);
  }
}
