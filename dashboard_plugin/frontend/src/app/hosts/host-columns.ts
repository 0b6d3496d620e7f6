import { Host } from '../../generated/types';
import { duration, number } from '../core/format';
import { Column } from '../shared/data-table/column';

/** The keys of columns that sort are those that the back end sorts by. */
export function hostColumns(): readonly Column<Host>[] {
  const count = (key: 'disks' | 'enclosures' | 'multipath', title: string): Column<Host> => ({
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
      key: 'collected_at',
      title: 'Reported',
      value: (row) => row.collected_at,
      sortable: true,
    },
    {
      key: 'age_seconds',
      title: 'Age',
      value: (row) => row.age_seconds,
      text: (row) => duration(row.age_seconds),
      sortable: true,
      figure: true,
    },
    count('disks', 'Disks'),
    count('enclosures', 'Enclosures'),
    count('multipath', 'Multipath devices'),
  ];
}
