import { LaggyOsd, LaggyPool } from '../../generated/types';
import { number, share } from '../core/format';
import { Translate } from '../i18n/i18n';
import { Column, figure } from '../shared/data-table/column';

export function osdColumns(t: Translate): readonly Column<LaggyOsd>[] {
  return [
    { key: 'osd', title: t('common.osd'), value: (row) => row.osd, sortable: true },
    { key: 'host', title: t('common.host'), value: (row) => row.host, sortable: true },
    {
      key: 'share',
      title: t('laggy.share'),
      help: t('laggy.share.help'),
      value: (row) => row.share,
      text: (row) => share(row.share),
      sortable: true,
      figure: true,
    },
    secondsColumn(t),
  ];
}

export function poolColumns(t: Translate): readonly Column<LaggyPool>[] {
  const count = (key: 'laggy' | 'wait', title: string): Column<LaggyPool> => ({
    key,
    title,
    value: (row) => row[key],
    sortable: true,
    figure: true,
  });
  return [
    { key: 'pool', title: t('laggy.pool'), value: (row) => row.pool, sortable: true },
    count('laggy', t('laggy.laggy')),
    count('wait', t('laggy.wait')),
    secondsColumn(t),
  ];
}

export function secondsColumn(t: Translate): Column<{ laggy_pg_seconds: number | null }> {
  const whole = (value: number | null): string => number(value, 0);
  return figure('laggy_pg_seconds', t('laggy.seconds'), whole, t('laggy.seconds.help'));
}
