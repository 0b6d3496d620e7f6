import { Multipath, Path } from '../../generated/types';
import { NOTHING } from '../core/format';
import { Translate } from '../i18n/i18n';
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
export function pathColumns(t: Translate): readonly Column<Multipath>[] {
  return [
    {
      key: 'osd',
      title: t('common.osd'),
      value: (row) => row.osd,
      text: (row) => tenantsText(row, t) || NOTHING,
      sortable: true,
    },
    { key: 'host', title: t('common.host'), value: (row) => row.host, sortable: true },
    {
      key: 'state',
      title: t('common.state'),
      help: t('paths.state.help'),
      value: (row) => row.state,
      sortable: true,
    },
    ...counts(t),
    {
      key: 'paths',
      title: t('paths.paths'),
      value: (row) => row.paths.map(pathText).join(', '),
    },
    { key: 'name', title: t('common.device'), value: (row) => row.name, sortable: true },
    {
      key: 'wwid',
      title: t('paths.wwid'),
      value: (row) => row.wwid,
      text: (row) => row.wwid ?? NOTHING,
      sortable: true,
    },
  ];
}

function counts(t: Translate): readonly Column<Multipath>[] {
  return [
    {
      key: 'active',
      title: t('paths.active'),
      help: t('paths.active.help'),
      value: (row) => row.active,
      text: (row) => t('paths.active.of', { active: row.active, expected: row.expected ?? '?' }),
      sortable: true,
      figure: true,
    },
    {
      key: 'drops',
      title: t('paths.drops'),
      help: t('paths.drops.help'),
      value: (row) => row.drops,
      figure: true,
    },
  ];
}
