import { Worker } from '../../generated/types';
import { NOTHING, number, signed } from '../core/format';
import { Column, minor } from '../shared/data-table/column';

type Clock = Pick<Worker, 'clock_offset' | 'clock_error'>;

/** "+1.3 ± 0.8 ms": how far its clock is ahead of that of the mgr's host. */
function clockText({ clock_offset: offset, clock_error: error }: Clock): string {
  if (offset === null) return NOTHING;
  return `${signed(1000 * offset)}${error === null ? '' : ` ± ${number(1000 * error)}`} ms`;
}

export function clockColumn(): Column<Clock> {
  return {
    key: 'clock_offset',
    title: 'Clock',
    help: 'How far its clock is ahead of the clock on the active manager’s host.',
    value: (row) => row.clock_offset,
    text: clockText,
    sortable: true,
    figure: true,
  };
}

/** The keys of columns that sort are those that the back end sorts by. */
export function workerColumns(): readonly Column<Worker>[] {
  const plain = (key: 'id' | 'host' | 'state' | 'version', title: string): Column<Worker> => ({
    key,
    title,
    value: (row) => row[key],
    sortable: true,
  });
  return [
    plain('id', 'Worker'),
    plain('host', 'Host'),
    plain('state', 'State'),
    {
      key: 'note',
      title: 'Note',
      value: (row) => row.note,
      sortable: true,
    },
    clockColumn(),
    minor(plain('version', 'Version')),
    { key: 'last_seen', title: 'Last seen', value: (row) => row.last_seen, sortable: true },
  ];
}
