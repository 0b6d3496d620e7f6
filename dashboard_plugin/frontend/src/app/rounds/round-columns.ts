import { RoundLine } from '../../generated/types';
import { duration, mib, number, percent } from '../core/format';
import { I18n } from '../i18n/i18n';
import { Column } from '../shared/data-table/column';

const MINOR: ReadonlySet<string> = new Set(['took_seconds', 'summary.osds', 'summary.median_iops']);

const NOT_SMALL = ['state', 'summary.median_iops', 'label', 'took_seconds', 'summary.osds'];

/** The columns of a list of rounds; all of them, or those for a small space. */
export function roundColumns(t: I18n['t'], small = false): readonly Column<RoundLine>[] {
  const column = (key: string, title: string, rest: Omit<Column<RoundLine>, 'key' | 'title'>) => ({
    key,
    title,
    sortable: !small,
    minor: MINOR.has(key),
    ...rest,
  });
  const all: readonly Column<RoundLine>[] = [
    column('id', t('common.round'), { value: (row) => row.id }),
    column('profile', t('common.profile'), { value: (row) => row.profile }),
    column('state', t('common.state'), { value: (row) => row.state, sortable: false }),
    column('verdict', t('common.verdict'), { value: (row) => row.verdict }),
    column('label', t('common.label'), { value: (row) => row.label }),
    column('started_at', t('common.started'), { value: (row) => row.started_at }),
    column('took_seconds', t('common.took'), {
      value: (row) => row.took_seconds,
      text: (row) => duration(row.took_seconds),
      figure: true,
    }),
    column('summary.osds', t('rounds.osds'), {
      value: (row) => row.summary.osds ?? null,
      text: (row) => number(row.summary.osds, 0),
      figure: true,
    }),
    column('summary.median_bytes_per_second', `${t('rounds.median')} MiB/s`, {
      value: (row) => row.summary.median_bytes_per_second ?? null,
      text: (row) => mib(row.summary.median_bytes_per_second),
      figure: true,
    }),
    column('summary.median_iops', `${t('rounds.median')} IOPS`, {
      value: (row) => row.summary.median_iops ?? null,
      text: (row) => number(row.summary.median_iops),
      figure: true,
    }),
    column('summary.slowest_percent_of_peers', t('rounds.slowest'), {
      value: (row) => row.summary.slowest_percent_of_peers ?? null,
      text: (row) => percent(row.summary.slowest_percent_of_peers),
      figure: true,
    }),
  ];
  const hidden = small ? NOT_SMALL : ['state'];
  return all.filter((entry) => !hidden.includes(entry.key));
}
