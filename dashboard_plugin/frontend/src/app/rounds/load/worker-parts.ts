import { LoadWorker } from '../../../generated/types';
import { inMs, mib } from '../../core/format';
import { Translate } from '../../i18n/i18n';
import { Column, figure } from '../../shared/data-table/column';
import { clockColumn } from '../../workers/worker-columns';

/** What each worker did in each repeat. */
export function partColumns(t: Translate): readonly Column<LoadWorker>[] {
  return [
    { key: 'repeat', title: t('sample.repeat'), value: (row) => row.repeat, sortable: true },
    { key: 'id', title: t('workers.id'), value: (row) => row.id, sortable: true },
    { key: 'host', title: t('common.host'), value: (row) => row.host, sortable: true },
    { key: 'clients', title: t('load.its-clients'), value: (row) => row.clients.join(', ') },
    figure('bytes_per_second', 'MiB/s', mib),
    figure('late_seconds', t('load.late'), inMs, t('load.late.help')),
    clockColumn(t),
  ];
}
