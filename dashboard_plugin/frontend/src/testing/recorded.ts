import { readFileSync } from 'node:fs';
import { Provider } from '@angular/core';
import { Status } from '../generated/types';
import { HostSettings, Permissions } from '../app/core/host-settings';
import { Counted, Http, Page, Query } from '../app/core/http';
import { Refusal } from '../app/core/refusal';

/** An answer of the module as `qa/tab record` writes it. */
export interface Recorded {
  readonly status: number;
  readonly body: unknown;
  readonly total: number | null;
}

/** What is asked: "GET osd/4", what stood in the address, and the body. */
export interface Question {
  readonly name: string;
  readonly query: Query;
  readonly body: Readonly<Record<string, unknown>>;
}

interface File {
  readonly at: number;
  readonly answers: Readonly<Record<string, Recorded>>;
}

/** Clusters that were recorded: all of `slow`, and of the others how things stand there. */
export type Scene = 'slow' | 'calm' | 'suspect' | 'running' | 'fresh';

export function recorded(scene: Scene): File {
  return JSON.parse(readFileSync(`src/testing/answers/${scene}.json`, 'utf8')) as File;
}

/** With LATE_ANSWERS=150 each answer takes up to 150 ms, so that they come in any order. */
const late = (): Promise<void> => {
  const most = Number(process.env['LATE_ANSWERS'] ?? 0);
  return most ? new Promise((next) => setTimeout(next, Math.random() * most)) : Promise.resolve();
};

/** The module's recorded answers; a test may change some of them, or refuse. */
export class RecordedHttp implements Pick<
  Http,
  'get' | 'beside' | 'page' | 'counted' | 'post' | 'delete'
> {
  /** How many questions of all tests have no answer that has reached who asked. */
  static unanswered = 0;
  /** What was asked, with the address as it was sent. */
  readonly asked: string[] = [];
  /** The bodies that were sent, by question. */
  readonly sent: [name: string, body: unknown][] = [];
  /** Which questions wait for their answer until they are let go. */
  holds: (question: Question) => boolean = () => false;
  readonly letGo: (() => void)[] = [];
  /** Why a question is refused, where it is. */
  refuses: (question: Question) => Refusal | null = () => null;
  readonly #answers: Map<string, Recorded>;
  readonly #changed = new Map<string, (question: Question) => Recorded>();

  constructor(...scenes: readonly Scene[]) {
    const all = scenes.flatMap((scene) => Object.entries(recorded(scene).answers));
    this.#answers = new Map(all);
  }

  /** From now on answer this question ("GET osd/4", "POST round") so, whatever its query or body. */
  on(name: string, answer: (question: Question) => unknown, total: number | null = null): void {
    this.#changed.set(name, (question) => ({ status: 200, body: answer(question), total }));
  }

  /** From now on the recorded answer with these changes. */
  change<T extends object>(name: string, changes: Partial<T> | ((body: T) => object)): void {
    const body = this.body<T>(name);
    const changed = typeof changes === 'function' ? changes(body) : { ...body, ...changes };
    this.on(name, () => changed);
  }

  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- as get() has it
  body<T>(name: string): T {
    return this.#find({ name, query: {}, body: {} }).body as T;
  }

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
    return this.#ask('GET', path, query).then(({ body, total }) => ({ body: body as T, total }));
  }

  post<T>(path: string, body: unknown = {}): Promise<T> {
    return this.#ask('POST', path, {}, body).then((answer) => answer.body as T);
  }

  delete(path: string): Promise<void> {
    return this.#ask('DELETE', path).then(() => undefined);
  }

  async #ask(method: string, path: string, query: Query = {}, body?: unknown): Promise<Recorded> {
    const question = { name: `${method} ${path}`, query, body: (body ?? {}) as Question['body'] };
    this.asked.push(named(question));
    if (body !== undefined) this.sent.push([question.name, body]);
    if (this.holds(question)) await new Promise<void>((go) => this.letGo.push(go));
    RecordedHttp.unanswered++;
    try {
      await late();
      const refusal = this.refuses(question);
      if (refusal) throw refusal;
      const answer = this.#find(question);
      if (answer.status >= 400) throw Refusal.from(answer.status, answer.body);
      // As over the wire: what comes is a copy.
      return JSON.parse(JSON.stringify(answer)) as Recorded;
    } finally {
      // Promises on the way to who asked are done before a timer.
      setTimeout(() => RecordedHttp.unanswered--);
    }
  }

  #find(question: Question): Recorded {
    const changed = this.#changed.get(question.name);
    if (changed) return changed(question);
    const { name, body } = question;
    const exact = [named(question), `${name} ${sorted(body)}`, name].map((one) =>
      this.#answers.get(one),
    );
    // What was asked with another query or body, and went well then.
    const like = [...this.#answers].find(
      ([one, { status }]) =>
        /[?{]/.exec(one) && /^\w+ [^ ?]+/.exec(one)?.[0] === name && status < 400,
    );
    const answer = exact.find(Boolean) ?? like?.[1];
    if (!answer) throw new Error(`not recorded: ${named(question)} ${sorted(body)}`);
    return answer;
  }
}

/** The address as it is asked for. */
function named({ name, query }: Question): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== null && value !== '');
  const search = new URLSearchParams(pairs.map(([key, value]) => [key, String(value)])).toString();
  return search ? `${name}?${search}` : name;
}

/** As Python writes it with sorted keys. */
function sorted(body: Question['body']): string {
  const keys = Object.keys(body).sort();
  const pairs = keys.map((key) => `${JSON.stringify(key)}: ${JSON.stringify(body[key])}`);
  return `{${pairs.join(', ')}}`;
}

/** A page of `count` rows like the first one, as a back end with many of them answers. */
export function pages<T extends object>(row: T, count: number, id: string) {
  return ({ query }: Question): readonly T[] => {
    const [offset, limit] = [Number(query['offset'] ?? 0), Number(query['limit'] ?? 25)];
    const size = Math.max(0, Math.min(limit, count - offset));
    return Array.from({ length: size }, (_, at) => ({ ...row, [id]: 1000 + offset + at }));
  };
}

const ALL: Permissions = {
  osd: ['read', 'create', 'delete'],
  pool: ['create', 'update'],
  'config-opt': ['update'],
};
/** Who may only look. */
export const READER: Permissions = { osd: ['read'] };

export interface World {
  readonly http: RecordedHttp;
  readonly host: HostSettings;
  readonly told: { type: string; detail: Readonly<Record<string, unknown>> }[];
  readonly providers: Provider[];
}

/** A recorded cluster and a host page, at the time of the record. */
export function world({ scenes = [] as readonly Scene[], permissions = ALL } = {}): World {
  const told: World['told'] = [];
  const host = new HostSettings((type, detail) => told.push({ type, detail }));
  host.permissions.set(permissions);
  const now = 1000 * recorded(scenes.at(-1) ?? 'slow').at;
  Date.now = () => now;
  const http = new RecordedHttp('slow', ...scenes);
  const providers = [
    { provide: HostSettings, useValue: host },
    { provide: Http, useValue: http },
  ];
  return { http, host, told, providers };
}

/** The module's thresholds. */
export const LIMITS = (recorded('slow').answers['GET status']?.body as Status).limits;
