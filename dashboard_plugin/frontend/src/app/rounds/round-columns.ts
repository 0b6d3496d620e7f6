import { RoundLine } from '../../generated/types';
import { NOTHING, duration, number, percent } from '../core/format';
import { Column, minor } from '../shared/data-table/column';
import { medianColumn } from './result-column';

/** The columns of a list of rounds. The keys of those that sort are those that the back end sorts by. */
export function roundColumns(): readonly Column<RoundLine>[] {
  const plain = (
    key: 'id' | 'profile' | 'verdict' | 'started_at',
    title: string,
  ): Column<RoundLine> => ({ key, title, value: (row) => row[key], sortable: true });
  return [
    plain('id', 'Round'),
    plain('profile', 'Profile'),
    plain('verdict', 'Verdict'),
    {
      key: 'label',
      title: 'Label',
      value: (row) => row.label,
      text: (row) => row.label || NOTHING,
      sortable: true,
    },
    plain('started_at', 'Started'),
    minor({
      key: 'took_seconds',
      title: 'Took',
      value: (row) => row.took_seconds,
      text: (row) => duration(row.took_seconds),
      sortable: true,
      figure: true,
    }),
    minor({
      key: 'summary.osds',
      title: 'OSDs',
      value: (row) => row.summary.osds ?? null,
      text: (row) => number(row.summary.osds, 0),
      figure: true,
    }),
    medianColumn(),
    {
      key: 'summary.slowest_percent_of_peers',
      title: 'Slowest',
      value: (row) => row.summary.slowest_percent_of_peers ?? null,
      text: (row) => percent(row.summary.slowest_percent_of_peers),
      figure: true,
    },
  ];
}
