import { LoadWorker } from '../../../generated/types';
import { inMs, mib } from '../../core/format';
import { Column, figure } from '../../shared/data-table/column';
import { clockColumn } from '../../schedules/worker-columns';

/** What each worker did in each repeat. */
export function partColumns(): readonly Column<LoadWorker>[] {
  return [
    { key: 'repeat', title: 'Repeat', value: (row) => row.repeat, sortable: true },
    { key: 'id', title: 'Worker', value: (row) => row.id, sortable: true },
    { key: 'host', title: 'Host', value: (row) => row.host, sortable: true },
    { key: 'clients', title: 'Its clients', value: (row) => row.clients.join(', ') },
    figure('bytes_per_second', 'MiB/s', mib),
    figure('late_seconds', 'Late ms', inMs, 'How long after the agreed time it started.'),
    clockColumn(),
  ];
}
