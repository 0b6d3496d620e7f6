import { OsdChange } from '../../generated/types';
import { chance, change } from '../core/format';
import { Translate } from '../i18n/i18n';
import { Column } from '../shared/data-table/column';

/** The columns of OSDs in two rounds; in the back end's order, which is worst first. */
export function changeColumns(t: Translate): readonly Column<OsdChange>[] {
  const percent = (
    key: string,
    title: string,
    value: (row: OsdChange) => number | null,
  ): Column<OsdChange> => ({ key, title, value, text: (row) => change(value(row)), figure: true });
  return [
    { key: 'osd', title: t('common.osd'), value: (row) => row.osd },
    { key: 'host', title: t('common.host'), value: (row) => row.host },
    {
      key: 'verdict',
      title: t('compare.verdict'),
      value: (row) => row.verdict,
      text: (row) => t(`word.${row.verdict}`),
    },
    percent('change_percent', t('compare.percent'), (row) => row.change_percent),
    percent('low_percent', t('compare.from'), (row) => row.interval_percent?.[0] ?? null),
    percent('high_percent', t('compare.to'), (row) => row.interval_percent?.[1] ?? null),
    {
      key: 'p_value',
      title: t('compare.p'),
      help: t('compare.p.help'),
      value: (row) => row.p_value,
      text: (row) => chance(row.p_value),
      figure: true,
    },
  ];
}
