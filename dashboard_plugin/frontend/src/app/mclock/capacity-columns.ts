import { Capacity } from '../../generated/types';
import { NOTHING, number } from '../core/format';
import { Translate } from '../i18n/i18n';
import { Column, figure } from '../shared/data-table/column';

const iops = (value: number | null): string => number(value, 0);

/** The keys of columns that sort are those that the back end sorts by. */
export function capacityColumns(t: Translate): readonly Column<Capacity>[] {
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
      minor: true,
      sortable: true,
    },
    figure('configured_iops', t('mclock.configured'), iops),
    {
      key: 'source',
      title: t('mclock.source'),
      help: t('mclock.source.help'),
      value: (row) => row.source,
      text: (row) => t(`mclock.source.${row.source}`),
      sortable: true,
    },
    figure('measured_iops', t('mclock.measured'), iops),
    {
      key: 'plausible',
      title: t('mclock.plausible'),
      help: t('mclock.plausible.help'),
      value: (row) => row.plausible.join('–'),
      text: (row) => row.plausible.map((value) => number(value, 0)).join('–'),
      figure: true,
      minor: true,
    },
    { key: 'verdict', title: t('common.verdict'), value: (row) => row.verdict, sortable: true },
    figure('proposed', t('mclock.proposed'), iops),
  ];
}
