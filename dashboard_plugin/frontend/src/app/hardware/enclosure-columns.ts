import { Enclosure } from '../../generated/types';
import { NOTHING } from '../core/format';
import { Column, minor } from '../shared/data-table/column';

/** The keys of columns that sort are those that the back end sorts by. */
export function enclosureColumns(): readonly Column<Enclosure>[] {
  const count = (key: 'osds' | 'osds_down', title: string): Column<Enclosure> => ({
    key,
    title,
    value: (row) => row[key],
    sortable: true,
    figure: true,
  });
  const text = (key: 'model' | 'serial', title: string): Column<Enclosure> => ({
    key,
    title,
    value: (row) => row[key],
    text: (row) => row[key] ?? NOTHING,
    sortable: true,
  });
  return [
    { key: 'id', title: 'ID', value: (row) => row.id, sortable: true },
    { key: 'state', title: 'State', value: (row) => row.state, sortable: true },
    text('model', 'Model'),
    minor(text('serial', 'Serial number')),
    {
      key: 'hosts',
      title: 'Seen by',
      value: (row) => row.hosts.join(', '),
      sortable: true,
    },
    {
      key: 'slots',
      title: 'Slots',
      value: (row) => row.slots.filter(({ slot }) => slot !== null).length,
      sortable: true,
      figure: true,
    },
    count('osds', 'OSDs'),
    count('osds_down', 'Down'),
  ];
}
