import { Provider } from '@angular/core';
import { Answers } from '../../fake/answers.mjs';
import { FakeCluster } from '../../fake/cluster.mjs';
import { Refused } from '../../fake/refused.mjs';
import { HostSettings, Permissions } from '../app/core/host-settings';
import { Counted, Http, Page, Query } from '../app/core/http';
import { Refusal } from '../app/core/refusal';

/** With LATE_ANSWERS=150 each answer takes up to 150 ms, so that they come in any order. */
const late = (): Promise<void> => {
  const most = Number(process.env['LATE_ANSWERS'] ?? 0);
  return most ? new Promise((next) => setTimeout(next, Math.random() * most)) : Promise.resolve();
};

/** The same answers as the fake server's, without a server in between. */
export class FakeHttp implements Pick<
  Http,
  'get' | 'beside' | 'page' | 'counted' | 'post' | 'delete'
> {
  /** How many questions of all fakes have no answer that has reached who asked. */
  static unanswered = 0;
  readonly asked: string[] = [];
  /** Which questions wait for their answer until they are let go. */
  holds: (path: string, query: Query) => boolean = () => false;
  readonly letGo: (() => void)[] = [];

  constructor(readonly answers: Answers) {}

  get<T>(path: string, query: Query = {}): Promise<T> {
    return this.#ask('GET', path, query).then(({ body }) => body as T);
  }

  /** A dashboard without Grafana. */
  beside<T>(): Promise<T> {
    return Promise.resolve({ instance: '' } as T);
  }

  page<T>(path: string, query: Query = {}): Promise<Page<T>> {
    return this.counted<readonly T[]>(path, query).then(({ body: rows, total }) => {
      return { rows, total: total ?? rows.length };
    });
  }

  counted<T>(path: string, query: Query = {}): Promise<Counted<T>> {
    return this.#ask('GET', path, query).then(({ body, total }) => {
      return { body: body as T, total: total ?? null };
    });
  }

  post<T>(path: string, body: unknown = {}): Promise<T> {
    return this.#ask('POST', path, {}, body).then((answer) => answer.body as T);
  }

  delete(path: string): Promise<void> {
    return this.#ask('DELETE', path).then(() => undefined);
  }

  async #ask(
    method: string,
    path: string,
    query: Query = {},
    body?: unknown,
  ): Promise<{ body: unknown; total?: number }> {
    const pairs = Object.entries(query).filter(([, value]) => value !== null && value !== '');
    const search = new URLSearchParams(pairs.map(([key, value]) => [key, String(value)]));
    this.asked.push(`${method} ${path}${search.size ? `?${search.toString()}` : ''}`);
    if (this.holds(path, query)) await new Promise<void>((go) => this.letGo.push(go));
    FakeHttp.unanswered++;
    try {
      await late();
      const question = { method, path, query: search, body: body as Record<string, unknown> };
      // As over the wire: what comes is a copy.
      return JSON.parse(JSON.stringify(this.answers.answer(question))) as { body: unknown };
    } catch (error) {
      throw error instanceof Refused ? Refusal.from(error.status, error.body) : error;
    } finally {
      // Promises on the way to who asked are done before a timer.
      setTimeout(() => FakeHttp.unanswered--);
    }
  }
}

const ALL: Permissions = {
  osd: ['read', 'create', 'delete'],
  pool: ['create', 'update'],
  'config-opt': ['update'],
};
/** Who may only look. */
export const READER: Permissions = { osd: ['read'] };

export interface World {
  readonly http: FakeHttp;
  readonly host: HostSettings;
  readonly told: { type: string; detail: Readonly<Record<string, unknown>> }[];
  readonly providers: Provider[];
}

/** A cluster, a back end and a host page, all in memory. */
export function world({ osds = 24, rounds = 12, permissions = ALL } = {}): World {
  const told: World['told'] = [];
  const host = new HostSettings((type, detail) => told.push({ type, detail }));
  host.permissions.set(permissions);
  const http = new FakeHttp(new Answers(new FakeCluster({ osds, rounds, hosts: 3, racks: 2 })));
  const providers = [
    { provide: HostSettings, useValue: host },
    { provide: Http, useValue: http },
  ];
  return { http, host, told, providers };
}

/** The active round stands at so many seconds, however long the test takes. */
export function standsAt(answers: Answers, seconds: number): void {
  const at = answers.active!.begun + seconds * 1000;
  answers.now = () => at;
}
