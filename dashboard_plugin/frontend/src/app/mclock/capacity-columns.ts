import { Capacity } from '../../generated/types';
import { NOTHING, number } from '../core/format';
import { I18n } from '../i18n/i18n';
import { Column } from '../shared/data-table/column';

/** The keys of columns that sort are those that the back end sorts by. */
export function capacityColumns(t: I18n['t']): readonly Column<Capacity>[] {
  return [
    {
      key: 'osd',
      title: t('common.osd'),
      value: (row) => row.osd,
      text: (row) => `osd.${row.osd}`,
      sortable: true,
    },
    {
      key: 'class',
      title: t('common.class'),
      value: (row) => row.class,
      text: (row) => row.class ?? NOTHING,
      sortable: true,
    },
    iops('configured_iops', t('mclock.configured')),
    {
      key: 'source',
      title: t('mclock.source'),
      help: t('mclock.source.help'),
      value: (row) => row.source,
      text: (row) => t(`mclock.source.${row.source}`),
      sortable: true,
    },
    iops('measured_iops', t('mclock.measured')),
    {
      key: 'plausible',
      title: t('mclock.plausible'),
      help: t('mclock.plausible.help'),
      value: (row) => row.plausible.join('–'),
      text: (row) => row.plausible.map((value) => number(value, 0)).join('–'),
      figure: true,
    },
    { key: 'verdict', title: t('common.verdict'), value: (row) => row.verdict, sortable: true },
    iops('proposed', t('mclock.proposed')),
  ];
}

function iops(
  key: 'configured_iops' | 'measured_iops' | 'proposed',
  title: string,
): Column<Capacity> {
  return {
    key,
    title,
    value: (row) => row[key],
    text: (row) => number(row[key], 0),
    sortable: true,
    figure: true,
  };
}
