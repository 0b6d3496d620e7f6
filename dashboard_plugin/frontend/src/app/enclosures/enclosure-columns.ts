import { Enclosure, Host } from '../../generated/types';
import { NOTHING, duration, number } from '../core/format';
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
