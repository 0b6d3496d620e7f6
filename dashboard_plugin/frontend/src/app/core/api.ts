import { Injectable, inject } from '@angular/core';
import { Crc, OsdChecksums, Gets, Lists, Plan, Posts } from '../../generated/types';
import { MOST } from './everything';
import { Http, Page, Query } from './http';
import { Live, live } from './live';

/** A page of OSDs, and what is told about all of them beside it. */
export interface CrcPage extends Page<OsdChecksums> {
  readonly whole: Crc;
}

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

/** What is sent along; ID or NAME go into the address. */
type Given = object;

/** The questions of the module's table, by route; what stands for ID or NAME is given with the rest. */
@Injectable({ providedIn: 'root' })
export class Api {
  readonly #http = inject(Http);

  get<R extends keyof Gets>(route: R, query: Query = {}, signal?: AbortSignal): Promise<Gets[R]> {
    const { path, rest } = addressed(route, query);
    return this.#http.get(path, rest, signal);
  }

  /** A page of a list; as much as one answer may have, unless a limit is given. */
  page<R extends keyof Lists>(
    route: R,
    query: Query = {},
    signal?: AbortSignal,
  ): Promise<Page<Lists[R]>> {
    return this.#http.page(route, { limit: MOST, ...query }, signal);
  }

  post<R extends keyof Posts>(route: R, given: Given = {}): Promise<Posts[R]> {
    const { path, rest } = addressed(route, given);
    return this.#http.post(path, rest);
  }

  delete(route: 'round/ID' | 'schedule/NAME', given: Given): Promise<void> {
    return this.#http.delete(addressed(route, given).path);
  }

  /** What a start would do. */
  plan(request: StartRequest, signal?: AbortSignal): Promise<Plan> {
    return this.#http.post('round', { ...request, dry_run: true }, signal);
  }

  /** What checksums take of the OSDs, the highest shares first; errors of links and media. */
  async crc(query: Query, signal?: AbortSignal): Promise<CrcPage> {
    const { body, total } = await this.#http.counted<Crc>('crc', query, signal);
    return { rows: body.osds, total: total ?? body.osds.length, whole: body };
  }
}

/** Milliseconds between questions; null: once. */
type Every = number | null | (() => number | null);

/** The current answer of a route, remembered by its address. For an injection context. */
export function liveGet<R extends keyof Gets>(
  route: R,
  every: Every,
  query: () => Query = () => ({}),
): Live<Gets[R]> {
  const api = inject(Api);
  return liveOf(route, every, query, (asked, signal) => api.get(route, asked, signal));
}

/** The current entries of a list, remembered in the same way. */
export function livePage<R extends keyof Lists>(
  route: R,
  every: Every,
  query: () => Query = () => ({}),
): Live<Page<Lists[R]>> {
  const api = inject(Api);
  return liveOf(route, every, query, (asked, signal) => api.page(route, asked, signal));
}

function liveOf<T>(
  route: string,
  every: Every,
  query: () => Query,
  ask: (query: Query, signal: AbortSignal) => Promise<T>,
): Live<T> {
  return live((signal) => ask(query(), signal), {
    every: typeof every === 'function' ? every : () => every,
    remember: () => `${route} ${JSON.stringify(query())}`,
  });
}

function addressed<G extends Given>(route: string, given: G): { path: string; rest: G } {
  const place = /ID|NAME/.exec(route)?.[0];
  if (place === undefined) return { path: route, rest: given };
  const { [place]: name, ...rest } = given as Readonly<Record<string, unknown>>;
  return { path: route.replace(place, encodeURIComponent(String(name))), rest: rest as G };
}
