import { Limits, Osd, OsdLatency, OsdMap } from '../../generated/types';
import { isSlow } from '../core/slow';

const SEEN = ['ratio', 'risk', 'commit_ms', 'read_ms', 'write_ms'] as const;
/** What the watch sees of an OSD; the other figures are its newest bench's. */
export type SeenName = (typeof SEEN)[number];
export type FigureName =
  'bytes_per_second' | 'iops' | 'cv_percent' | 'percent_of_peers' | 'robust_z' | SeenName;

/** All OSDs in columns; a figure that nobody measured is NaN. An OSD is known by its row. */
export interface MapData {
  readonly count: number;
  readonly osd: readonly number[];
  readonly host: readonly string[];
  readonly rack: readonly string[];
  readonly class: readonly string[];
  readonly up: readonly boolean[];
  readonly round: readonly (number | null)[];
  readonly figures: Readonly<Record<FigureName, Float64Array>>;
  /** In its newest bench. */
  readonly slow: readonly boolean[];
  /** What the watch thinks of it. */
  readonly state: readonly Osd['state'][];
}

/** Sorted by OSD; columns that are not there count as "no data", others are left aside. */
export function mapData(answer: OsdMap, limits: Limits | undefined): MapData {
  const place = answer.columns.indexOf('osd');
  const rows = [...answer.rows].sort((a, b) => Number(a[place]) - Number(b[place]));
  // A column at a time: looking a name up in each of 10,000 rows took 80 ms, this takes 5.
  function column<T>(name: string, of: (value: OsdMap['rows'][number][number]) => T): T[] {
    const index = answer.columns.indexOf(name);
    return rows.map((row) => of(row[index] ?? null));
  }
  const text = (name: string): string[] => column(name, (value) => String(value ?? ''));
  const figure = (name: string): Float64Array =>
    new Float64Array(column(name, (value) => (typeof value === 'number' ? value : Number.NaN)));
  const figures = {
    bytes_per_second: figure('bytes_per_second'),
    iops: figure('iops'),
    cv_percent: figure('cv_percent'),
    percent_of_peers: figure('percent_of_peers'),
    robust_z: figure('robust_z'),
    ...unseen(rows.length),
  };
  return {
    count: rows.length,
    osd: column('osd', Number),
    host: text('host'),
    rack: text('rack'),
    class: text('class'),
    up: column('up', (up) => up !== false),
    round: column('round', (round) => (typeof round === 'number' ? round : null)),
    figures,
    slow: rows.map((_, index) => isSlow(compared(figures, index), limits)),
    state: rows.map(() => 'no-data'),
  };
}

/** The same OSDs with what the watch sees of them; an OSD that it does not tell of has no data. */
export function withLatency(data: MapData, answer: OsdLatency): MapData {
  const rowOf = new Map(data.osd.map((osd, row) => [osd, row]));
  const places = SEEN.map((name) => answer.columns.indexOf(name));
  const [osdAt, stateAt] = [answer.columns.indexOf('osd'), answer.columns.indexOf('state')];
  const states = answer.states as readonly Osd['state'][];
  const [seen, state] = [unseen(data.count), [...data.state]];
  const columns = SEEN.map((name) => seen[name]);
  for (const line of answer.rows) {
    const row = rowOf.get(line[osdAt] ?? -1);
    if (row === undefined) continue;
    state[row] = states[line[stateAt] ?? -1] ?? 'no-data';
    columns.forEach((column, index) => (column[row] = line[places[index] ?? -1] ?? Number.NaN));
    // No risk is not sent: at 10,000 OSDs the zeros would be a tenth of the answer.
    if (Number.isNaN(seen.risk[row]) && state[row] !== 'no-data') seen.risk[row] = 0;
  }
  return { ...data, figures: { ...data.figures, ...seen }, state };
}

/** How many OSDs have a latency, whether or not they can be judged by it. */
export function withLatencies({ figures, count }: MapData): number {
  const latencies = [figures.commit_ms, figures.read_ms, figures.write_ms];
  const rows = Array.from({ length: count }, (_, row) => row);
  return rows.filter((row) => latencies.some((latency) => known(latency[row]) !== null)).length;
}

function unseen(count: number): Record<SeenName, Float64Array> {
  const none = (): Float64Array => new Float64Array(count).fill(Number.NaN);
  return { ratio: none(), risk: none(), commit_ms: none(), read_ms: none(), write_ms: none() };
}

function compared(
  figures: MapData['figures'],
  index: number,
): { percent_of_peers: number | null; robust_z: number | null } {
  const percent = known(figures.percent_of_peers[index]);
  return { percent_of_peers: percent, robust_z: known(figures.robust_z[index]) };
}

/** A figure, or null for no data. */
export function known(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}
