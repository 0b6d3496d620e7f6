import { Injectable, inject } from '@angular/core';
import {
  Finding,
  Laggy,
  Osd,
  OsdDetail,
  OsdLatency,
  OsdMap,
  OsdSeries,
  Plan,
  Profile,
  Round,
  RoundLine,
  Started,
  Status,
} from '../../generated/types';
import { Http, Page, Query } from './http';

/** What a start is asked for; sizes in bytes. */
export interface StartRequest {
  readonly profile: string;
  readonly osds?: string;
  readonly repeats?: number;
  readonly size?: number;
  readonly label?: string;
  readonly force?: boolean;
}

/** The questions this tab asks: one method each. */
@Injectable({ providedIn: 'root' })
export class Api {
  readonly #http = inject(Http);

  status(signal?: AbortSignal): Promise<Status> {
    return this.#http.get('status', {}, signal);
  }

  profiles(signal?: AbortSignal): Promise<Page<Profile>> {
    return this.#http.page('profile', {}, signal);
  }

  rounds(query: Query, signal?: AbortSignal): Promise<Page<RoundLine>> {
    return this.#http.page('round', query, signal);
  }

  /** A round with `limit` of its OSDs from `offset` on, slowest against their peers first. */
  round(id: number, query: Query, signal?: AbortSignal): Promise<Round> {
    return this.#http.get(`round/${id}`, query, signal);
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

  /** Findings, worst first; `everything` has those that are over too. */
  findings(query: Query, signal?: AbortSignal): Promise<Page<Finding>> {
    return this.#http.page('finding', query, signal);
  }

  finding(id: number, signal?: AbortSignal): Promise<Finding> {
    return this.#http.get(`finding/${id}`, {}, signal);
  }

  /** Leave a finding out of health for a time, such as "1d". */
  mute(id: number, span: string): Promise<Finding> {
    return this.#http.post(`finding/${id}/mute`, { for: span });
  }

  laggy(signal?: AbortSignal): Promise<Laggy> {
    return this.#http.get('laggy', {}, signal);
  }

  plan(request: StartRequest, signal?: AbortSignal): Promise<Plan> {
    return this.#http.post('round', { ...request, dry_run: true }, signal);
  }

  start(request: StartRequest): Promise<Started> {
    return this.#http.post('round', request);
  }

  abort(id: number): Promise<Started> {
    return this.#http.post(`round/${id}/abort`);
  }

  remove(id: number): Promise<void> {
    return this.#http.delete(`round/${id}`);
  }
}
