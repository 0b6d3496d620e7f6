import { Host } from '../../generated/types';
import { number } from '../core/format';
import { Column } from '../shared/data-table/column';

/** The keys of columns that sort are those that the back end sorts by. */
export function hostColumns(): readonly Column<Host>[] {
  const count = (key: 'disks' | 'enclosures', title: string): Column<Host> => ({
    key,
    title,
    value: (row) => row[key],
    text: (row) => number(row[key], 0),
    figure: true,
  });
  return [
    { key: 'host', title: 'Host', value: (row) => row.host, sortable: true },
    {
      key: 'osds',
      title: 'OSDs',
      value: (row) => row.osds.length,
      sortable: true,
      figure: true,
    },
    {
      key: 'slow',
      title: 'Slow OSDs',
      value: (row) => row.slow,
      text: (row) => number(row.slow, 0),
      sortable: true,
      figure: true,
    },
    {
      key: 'worst_ratio',
      title: 'Slowest OSD',
      value: (row) => row.worst_ratio,
      text: (row) => (row.worst_ratio === null ? '–' : `${number(row.worst_ratio, 2)} x`),
      sortable: true,
      figure: true,
    },
    {
      key: 'collected_at',
      title: 'Reported',
      value: (row) => row.collected_at,
      sortable: true,
    },
    count('disks', 'Disks'),
    count('enclosures', 'Enclosures'),
  ];
}
