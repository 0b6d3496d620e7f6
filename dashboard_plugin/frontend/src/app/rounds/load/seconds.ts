/** One second of a client, or of all of them: operations done in it, and how long they took. */
export interface Second {
  readonly second: number;
  readonly operations: number;
  /** Of the operations that ended in it, in seconds; null where none did. */
  readonly latency: number | null;
}

/** A client's rows as the API has them: second, operations finished by then, mean of all so far. */
export type Rows = readonly (readonly number[])[];

export interface ClientSeconds {
  readonly client: number;
  readonly seconds: readonly Second[];
}

/** What was done in each second, from what had been done by then. `shift` is when it began. */
export function secondsOf(rows: Rows, shift = 0): readonly Second[] {
  let [before, finished, waited] = [0, 0, 0];
  const found: Second[] = [];
  for (const [second = 0, done = 0, mean = 0] of rows) {
    const operations = done - finished;
    if (second > before) {
      const latency = operations > 0 ? Math.max(0, done * mean - waited) / operations : null;
      found.push({ second: second + shift, operations: operations / (second - before), latency });
    }
    [before, finished, waited] = [second, done, done * mean];
  }
  return found;
}

/** All clients together, in those seconds in which all of them have a row. */
export function summed(clients: readonly ClientSeconds[]): readonly Second[] {
  const bySecond = new Map<number, Second[]>();
  for (const { seconds } of clients)
    for (const one of seconds) bySecond.set(one.second, [...(bySecond.get(one.second) ?? []), one]);
  return [...bySecond]
    .filter(([, all]) => all.length === clients.length)
    .sort(([a], [b]) => a - b)
    .map(([second, all]) => together(second, all));
}

function together(second: number, all: readonly Second[]): Second {
  const operations = all.reduce((sum, one) => sum + one.operations, 0);
  const waited = all.reduce((sum, one) => sum + one.operations * (one.latency ?? 0), 0);
  return { second, operations, latency: operations > 0 ? waited / operations : null };
}

interface Begun {
  readonly client: number;
  readonly started_at?: string | null;
  readonly series: Rows;
}

/** Clients of one repeat on one axis: they begin some tenths of a second apart, rarely more. */
export function aligned(clients: readonly Begun[]): readonly ClientSeconds[] {
  const begun = clients.map(({ started_at: at }) => (at ? Date.parse(at) : Number.NaN));
  const first = Math.min(...begun.filter(Number.isFinite));
  return clients.map(({ client, series }, index) => {
    const late = Math.round(((begun[index] ?? Number.NaN) - first) / 1000);
    return { client, seconds: secondsOf(series, Number.isFinite(late) ? late : 0) };
  });
}
