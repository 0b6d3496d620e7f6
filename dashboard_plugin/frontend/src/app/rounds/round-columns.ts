import { RoundLine } from '../../generated/types';
import { NOTHING, duration, number, percent } from '../core/format';
import { Translate } from '../i18n/i18n';
import { Column, minor } from '../shared/data-table/column';
import { medianColumn } from './result-column';

/** The columns of a list of rounds. The keys of those that sort are those that the back end sorts by. */
export function roundColumns(t: Translate): readonly Column<RoundLine>[] {
  const plain = (
    key: 'id' | 'profile' | 'verdict' | 'started_at',
    title: string,
  ): Column<RoundLine> => ({ key, title, value: (row) => row[key], sortable: true });
  return [
    plain('id', t('common.round')),
    plain('profile', t('common.profile')),
    plain('verdict', t('common.verdict')),
    {
      key: 'label',
      title: t('common.label'),
      value: (row) => row.label,
      text: (row) => row.label || NOTHING,
      sortable: true,
    },
    plain('started_at', t('common.started')),
    minor({
      key: 'took_seconds',
      title: t('common.took'),
      value: (row) => row.took_seconds,
      text: (row) => duration(row.took_seconds),
      sortable: true,
      figure: true,
    }),
    minor({
      key: 'summary.osds',
      title: t('rounds.osds'),
      value: (row) => row.summary.osds ?? null,
      text: (row) => number(row.summary.osds, 0),
      figure: true,
    }),
    medianColumn(t),
    {
      key: 'summary.slowest_percent_of_peers',
      title: t('rounds.slowest'),
      value: (row) => row.summary.slowest_percent_of_peers ?? null,
      text: (row) => percent(row.summary.slowest_percent_of_peers),
      figure: true,
    },
  ];
}
