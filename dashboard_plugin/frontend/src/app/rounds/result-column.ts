import { RoundLine } from '../../generated/types';
import { NOTHING, mib, number, percent } from '../core/format';
import { toldInIops } from '../core/slow';
import { Column, figure } from '../shared/data-table/column';

/** What a round measured; undefined and null: nothing. */
export interface Rates {
  readonly bytes: number | null | undefined;
  readonly iops: number | null | undefined;
}

/** The rate in the round's own unit, which the text has: IOPS of small writes, else MiB/s. */
export function inOwnUnit({ bytes, iops }: Rates): string {
  const known = typeof bytes === 'number';
  if (typeof iops === 'number' && (!known || toldInIops(bytes / (iops || 1)))) {
    return `${number(iops, 0)} IOPS`;
  }
  return known ? `${mib(bytes)} MiB/s` : NOTHING;
}

/** One column for rounds of any profile; files have both rates, with `prefix` before their names. */
export function resultColumn<T>(prefix: string, rates: (row: T) => Rates): Column<T> {
  return {
    key: 'result',
    title: 'Median',
    help: 'In the unit of the round: IOPS for blocks below 1 MiB, else MiB/s.',
    value: (row) => inOwnUnit(rates(row)),
    figure: true,
    files: [
      { key: `${prefix}bytes_per_second`, value: (row) => rates(row).bytes ?? null },
      { key: `${prefix}iops`, value: (row) => rates(row).iops ?? null },
    ],
  };
}

/** That of a list of rounds. */
export function medianColumn(): Column<RoundLine> {
  return resultColumn('summary.median_', ({ summary }) => ({
    bytes: summary.median_bytes_per_second,
    iops: summary.median_iops,
  }));
}

/** How an OSD's figures of a round are told. */
export const CV = figure(
  'cv_percent',
  'CV',
  (value) => percent(value, 1),
  'Coefficient of variation: how much its repeats differ.',
);
export const OF_PEERS = figure(
  'percent_of_peers',
  'Of peers',
  percent,
  'Percent of the median of the other OSDs of the same device class and model.',
);
export const ROBUST_Z = figure(
  'robust_z',
  'Robust z',
  number,
  'How many robust standard deviations it is from its peers; negative is slower.',
);
