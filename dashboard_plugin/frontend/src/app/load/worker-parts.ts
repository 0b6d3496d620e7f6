import { LoadWorker } from '../../generated/types';
import { NOTHING, mib, number } from '../core/format';
import { I18n } from '../i18n/i18n';
import { Column } from '../shared/data-table/column';
import { clockText } from '../workers/worker-columns';

/** What each worker did in each repeat. */
export function partColumns(t: I18n['t']): readonly Column<LoadWorker>[] {
  return [
    { key: 'repeat', title: t('sample.repeat'), value: (row) => row.repeat, sortable: true },
    { key: 'id', title: t('workers.id'), value: (row) => row.id, sortable: true },
    { key: 'host', title: t('common.host'), value: (row) => row.host, sortable: true },
    { key: 'clients', title: t('load.its-clients'), value: (row) => row.clients.join(', ') },
    {
      key: 'bytes_per_second',
      title: 'MiB/s',
      value: (row) => row.bytes_per_second,
      text: (row) => mib(row.bytes_per_second),
      sortable: true,
      figure: true,
    },
    {
      key: 'late_seconds',
      title: t('load.late'),
      help: t('load.late.help'),
      value: (row) => row.late_seconds,
      text: ({ late_seconds: late }) => (late === null ? NOTHING : number(1000 * late)),
      sortable: true,
      figure: true,
    },
    {
      key: 'clock_offset',
      title: t('workers.clock'),
      help: t('workers.clock.help'),
      value: (row) => row.clock_offset,
      text: clockText,
      sortable: true,
      figure: true,
    },
  ];
}
