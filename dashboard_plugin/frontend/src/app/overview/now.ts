import { ClusterLatency, Laggy } from '../../generated/types';
import { Api } from '../core/api';
import { mib, milliseconds, number } from '../core/format';

/** A number of now against an hour ago, as it is written; null: not known. */
export interface Tile {
  readonly name: string;
  readonly now: string | null;
  readonly before: string | null;
  /** Much worse than an hour ago. */
  readonly worse: boolean;
}

const MINUTE = 60;
/** Rows that are "now" and "an hour ago": the means of so many minutes, as one alone is chance. */
const NOW_SECONDS = 3 * MINUTE;
const AGO_SECONDS = 8 * MINUTE;
/** From this ratio on latency is called worse: clients' latency wavers by less within an hour. */
const WORSE = 1.5;

type Row = readonly (number | null)[];

function mean(values: readonly (number | null | undefined)[]): number | null {
  const known = values.filter((value) => typeof value === 'number');
  return known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
}

/** The mean of a column over the rows that begin within the two times, in unix seconds. */
function within(rows: readonly Row[], column: number, from: number, to: number): number | null {
  return mean(
    rows
      .filter(([at]) => typeof at === 'number' && at >= from && at < to)
      .map((row) => row[column]),
  );
}

/** The median OSD's latency of these clients in ms. */
function latency(answer: ClusterLatency, from: number, to: number): number | null {
  const rows = answer.groups.find(({ group }) => group === '')?.rows ?? [];
  return within(rows, 2, from, to);
}

/** Of clients' writes, or of their reads where nobody writes. */
export async function clientsOf(
  api: Api,
  since: string,
  signal: AbortSignal,
): Promise<ClusterLatency> {
  const writes = await api.get('cluster/latency', { since, channel: 'client_write' }, signal);
  const none = writes.groups.length === 0 && writes.channels.includes('client_read');
  return none
    ? await api.get('cluster/latency', { since, channel: 'client_read' }, signal)
    : writes;
}

function verb(answer: ClusterLatency): string {
  return answer.channel === 'client_read' ? 'reads' : 'writes';
}

/** Client latency, IOPS and MiB/s, of an answer about one hour. */
export function clientTiles(answer: ClusterLatency): readonly Tile[] {
  const [from, to] = [answer.from, answer.to].map((at) => Date.parse(at) / 1000) as [
    number,
    number,
  ];
  const rate = (...names: readonly string[]): readonly (number | null)[] =>
    [[to - NOW_SECONDS, to] as const, [from - MINUTE, from + AGO_SECONDS] as const].map((times) => {
      const parts = names.map((name) =>
        within(answer.work, answer.columns.indexOf(name), ...times),
      );
      return parts.includes(null)
        ? null
        : parts.reduce((sum: number, part) => sum + (part ?? 0), 0);
    });
  const now = latency(answer, to - NOW_SECONDS, to);
  const ago = latency(answer, from - MINUTE, from + AGO_SECONDS);
  const written = (
    name: string,
    [is = null, was = null]: readonly (number | null)[],
    text: (value: number) => string,
  ): Tile => ({
    name,
    now: is === null ? null : text(is),
    before: was === null ? null : text(was),
    worse: false,
  });
  return [
    {
      ...written(`Client ${verb(answer)}`, [now, ago], (ms) => `${milliseconds(ms)} ms`),
      worse: now !== null && ago !== null && now >= WORSE * ago,
    },
    written('Client IOPS', rate('read_ops', 'write_ops'), (value) => number(value, 0)),
    written('Client MiB/s', rate('read_bytes', 'write_bytes'), (bytes) => mib(bytes)),
  ];
}

/** Laggy placement groups now; before: the most at once within the last hour, where that was watched. */
export function laggyTile({ now, episodes }: Laggy, watchedSince: string | null, at: number): Tile {
  const hour = at - 3_600_000;
  const recent = episodes.filter(({ to }) => to === null || Date.parse(to) >= hour);
  const most = Math.max(0, ...recent.map(({ peak }) => peak));
  const watched = watchedSince !== null && Date.parse(watchedSince) <= hour;
  return {
    name: 'Laggy PGs',
    now: now.at === null ? null : String(now.laggy),
    before: most || watched ? String(most) : null,
    worse: now.laggy > 0,
  };
}
