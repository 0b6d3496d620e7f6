import { Cell, ExportColumn } from './export';

/** One column of a data table. */
export interface Column<T> {
  /** Its name in exports, and for a remote table's sort. */
  readonly key: string;
  readonly title: string;
  /** What the title means, on hover and on focus. */
  readonly help?: string;
  /** The value as it is exported and sorted by; null for no data. */
  readonly value: (row: T) => Cell;
  /** The value as it is read; without, the value itself. */
  readonly text?: (row: T) => string;
  readonly sortable?: boolean;
  /** Figures stand to the right. */
  readonly figure?: boolean;
  /** Not shown where not all columns have room. */
  readonly minor?: boolean;
  /** What files have instead of it; none where there is something to do in it. */
  readonly files?: readonly ExportColumn<T>[];
}

/** A column that sorts, read as it is unless `more` tells otherwise. */
export function plain<K extends string, T extends Readonly<Record<K, Cell>>>(
  key: K,
  title: string,
  more: Partial<Column<T>> = {},
): Column<T> {
  return { key, title, value: (row) => row[key], sortable: true, ...more };
}

/** A column of figures that sorts, read as `shown` has it; null is no data. */
export function figure<K extends string>(
  key: K,
  title: string,
  shown: (value: number | null) => string,
  help = '',
): Column<Readonly<Record<K, number | null>>> {
  return {
    key,
    title,
    help,
    value: (row) => row[key],
    text: (row) => shown(row[key]),
    sortable: true,
    figure: true,
  };
}

/** The same column, not shown where not all have room. */
export function minor<T>(column: Column<T>): Column<T> {
  return { ...column, minor: true };
}

export interface CellContext<T> {
  readonly $implicit: T;
}

/** What a remote table is asked to show. */
export interface TableQuery {
  readonly offset: number;
  readonly limit: number;
  /** "+key" or "-key"; empty for the back end's own order. */
  readonly sort: string;
  readonly search: string;
}
