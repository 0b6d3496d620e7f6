import { Injectable, inject } from '@angular/core';
import { HostSettings } from './host-settings';
import { Refusal } from './refusal';

/** A page of a list, and how many entries it has in all. */
export interface Page<T> {
  readonly rows: readonly T[];
  readonly total: number;
}

/** An answer about a page of a list, and how many entries that has in all, if it was told. */
export interface Counted<T> {
  readonly body: T;
  readonly total: number | null;
}

export type Query = Readonly<Record<string, string | number | null | undefined>>;

const ACCEPT = 'application/vnd.ceph.api.v1.0+json';
/** The back end's own limit for the store is shorter; past this nobody answers any more. */
const PATIENCE_MS = 20_000;

interface Answer {
  readonly body: unknown;
  readonly headers: Headers;
}

/** Questions to the REST API, in the dashboard's own dialect. Every failure is a `Refusal`. */
@Injectable({ providedIn: 'root' })
export class Http {
  readonly #host = inject(HostSettings);

  async get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
    return (await this.#ask('GET', path + search(query), undefined, signal)).body as T;
  }

  /** A question to the dashboard itself, whose API stands beside ours. */
  async beside<T>(path: string, signal?: AbortSignal): Promise<T> {
    const root = this.#host.basePath().replace(/perf_bench$/, '');
    return (await this.#ask('GET', path, undefined, signal, root)).body as T;
  }

  async page<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Page<T>> {
    const { body: rows, total } = await this.counted<readonly T[]>(path, query, signal);
    if (!Array.isArray(rows)) throw new Refusal('broken', '');
    return { rows, total: total ?? rows.length };
  }

  async counted<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Counted<T>> {
    const answer = await this.#ask('GET', path + search(query), undefined, signal);
    const total = Number(answer.headers.get('X-Total-Count') ?? Number.NaN);
    return { body: answer.body as T, total: Number.isFinite(total) ? total : null };
  }

  async post<T>(path: string, body: unknown = {}, signal?: AbortSignal): Promise<T> {
    return (await this.#ask('POST', path, body, signal)).body as T;
  }

  async delete(path: string): Promise<void> {
    await this.#ask('DELETE', path);
  }

  async #ask(
    method: string,
    path: string,
    body?: unknown,
    given?: AbortSignal,
    root = `${this.#host.basePath()}/`,
  ): Promise<Answer> {
    const limit = AbortSignal.timeout(PATIENCE_MS);
    const request: RequestInit = {
      method,
      credentials: 'same-origin',
      cache: 'no-store',
      headers: {
        Accept: ACCEPT,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      signal: given ? AbortSignal.any([given, limit]) : limit,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    const response = await this.#fetch(root + path, request, given);
    const read = await json(response);
    if (response.status === 401) this.#host.announce('perf-bench-unauthorized', {});
    if (!response.ok) throw Refusal.from(response.status, read);
    // Also of a change: a log-in page has the status 200 too, and nothing was done.
    const bare = method === 'DELETE' && response.status === 204;
    if (read === undefined && !bare) throw new Refusal('broken', '');
    return { body: read, headers: response.headers };
  }

  async #fetch(url: string, request: RequestInit, given?: AbortSignal): Promise<Response> {
    try {
      return await fetch(url, request);
    } catch (error) {
      // Who called it off knows; all else (no network, no answer in time) is "unreachable".
      if (given?.aborted) throw error;
      throw new Refusal('unreachable', '');
    }
  }
}

function search(query: Query): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([key, value]): [string, string] => [key, String(value)]);
  const text = new URLSearchParams(pairs).toString();
  return text && `?${text}`;
}

/** The body as JSON; undefined when it is something else, such as a proxy's error page. */
async function json(response: Response): Promise<unknown> {
  try {
    return (await response.json()) as unknown;
  } catch {
    return undefined;
  }
}
