import { OsdMap } from '../../generated/types';
import { isSlow } from '../core/slow';

export type FigureName =
  'bytes_per_second' | 'iops' | 'cv_percent' | 'percent_of_peers' | 'robust_z';

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
  readonly slow: readonly boolean[];
}

/** Sorted by OSD; columns that are not there count as "no data", others are left aside. */
export function mapData(answer: OsdMap): MapData {
  const at = new Map(answer.columns.map((name, index) => [name, index]));
  const rows = [...answer.rows].sort((a, b) => Number(value(a, 'osd')) - Number(value(b, 'osd')));
  function value(row: OsdMap['rows'][number], name: string): string | number | boolean | null {
    const index = at.get(name);
    return index === undefined ? null : (row[index] ?? null);
  }
  const text = (name: string): string[] => rows.map((row) => String(value(row, name) ?? ''));
  const figure = (name: string): Float64Array =>
    Float64Array.from(rows, (row) => {
      const found = value(row, name);
      return typeof found === 'number' ? found : Number.NaN;
    });
  const figures = {
    bytes_per_second: figure('bytes_per_second'),
    iops: figure('iops'),
    cv_percent: figure('cv_percent'),
    percent_of_peers: figure('percent_of_peers'),
    robust_z: figure('robust_z'),
  };
  return {
    count: rows.length,
    osd: rows.map((row) => Number(value(row, 'osd'))),
    host: text('host'),
    rack: text('rack'),
    class: text('class'),
    up: rows.map((row) => value(row, 'up') !== false),
    round: rows.map((row) => {
      const round = value(row, 'round');
      return typeof round === 'number' ? round : null;
    }),
    figures,
    slow: rows.map((_, index) => isSlow(compared(figures, index))),
  };
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
