import { Multipath, Path } from '../../generated/types';
import { NOTHING } from '../core/format';
import { Column } from '../shared/data-table/column';
import { tenantsText } from '../shared/tenants.component';

/** A path that carries data, or of which nothing bad is told. */
export function isGood({ state }: Path): boolean {
  return (state ?? 'active') === 'active';
}

/** "sdk (0:0:3:0)", with its state where that is a bad one. */
export function pathText(path: Path): string {
  const where = path.hctl === null ? '' : ` (${path.hctl})`;
  return `${path.device}${where}${isGood(path) ? '' : ` ${path.state ?? ''}`}`;
}

/** The keys of columns that sort are those that the back end sorts by. */
export function pathColumns(): readonly Column<Multipath>[] {
  return [
    {
      key: 'osd',
      title: 'OSD',
      value: (row) => row.osd,
      text: (row) => tenantsText(row) || NOTHING,
      sortable: true,
    },
    { key: 'host', title: 'Host', value: (row) => row.host, sortable: true },
    {
      key: 'state',
      title: 'State',
      help: '“bypasses multipath”: the OSD uses one path of a disk that has several. “unknown”: the facts of the host are older than two days.',
      value: (row) => row.state,
      sortable: true,
    },
    ...counts(),
    {
      key: 'paths',
      title: 'Paths',
      value: (row) => row.paths.map(pathText).join(', '),
    },
    { key: 'name', title: 'Device', value: (row) => row.name, sortable: true },
    {
      key: 'wwid',
      title: 'WWID',
      value: (row) => row.wwid,
      text: (row) => row.wwid ?? NOTHING,
      sortable: true,
    },
  ];
}

function counts(): readonly Column<Multipath>[] {
  return [
    {
      key: 'active',
      title: 'Active',
      help: 'Paths that carry data, out of those expected: the most that were seen, or the number that was set on the host.',
      value: (row) => row.active,
      text: (row) => `${row.active} of ${row.expected ?? '?'}`,
      sortable: true,
      figure: true,
    },
    {
      key: 'drops',
      title: 'Losses',
      help: 'How often a path was lost in the last 24 hours.',
      value: (row) => row.drops,
      figure: true,
    },
  ];
}
