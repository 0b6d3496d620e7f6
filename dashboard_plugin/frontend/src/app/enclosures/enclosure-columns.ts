import { Enclosure, Host } from '../../generated/types';
import { NOTHING, duration, number } from '../core/format';
import { Translate } from '../i18n/i18n';
import { Column, minor } from '../shared/data-table/column';

/** The keys of columns that sort are those that the back end sorts by. */
export function enclosureColumns(t: Translate): readonly Column<Enclosure>[] {
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
    { key: 'id', title: t('enclosure.id'), value: (row) => row.id, sortable: true },
    { key: 'state', title: t('common.state'), value: (row) => row.state, sortable: true },
    text('model', t('common.model')),
    minor(text('serial', t('enclosure.serial'))),
    {
      key: 'hosts',
      title: t('enclosure.seen-by'),
      value: (row) => row.hosts.join(', '),
      sortable: true,
    },
    {
      key: 'slots',
      title: t('enclosure.slots'),
      value: (row) => row.slots.filter(({ slot }) => slot !== null).length,
      sortable: true,
      figure: true,
    },
    count('osds', t('rounds.osds')),
    count('osds_down', t('enclosures.down')),
  ];
}

export function hostColumns(t: Translate): readonly Column<Host>[] {
  const count = (key: 'disks' | 'enclosures' | 'multipath', title: string): Column<Host> => ({
    key,
    title,
    value: (row) => row[key],
    text: (row) => number(row[key], 0),
    figure: true,
  });
  return [
    { key: 'host', title: t('common.host'), value: (row) => row.host, sortable: true },
    {
      key: 'osds',
      title: t('rounds.osds'),
      value: (row) => row.osds.length,
      sortable: true,
      figure: true,
    },
    {
      key: 'collected_at',
      title: t('hosts.collected'),
      value: (row) => row.collected_at,
      sortable: true,
    },
    {
      key: 'age_seconds',
      title: t('hosts.age'),
      value: (row) => row.age_seconds,
      text: (row) => duration(row.age_seconds),
      sortable: true,
      figure: true,
    },
    count('disks', t('hosts.disks')),
    count('enclosures', t('enclosures.title')),
    count('multipath', t('hosts.multipath')),
  ];
}
