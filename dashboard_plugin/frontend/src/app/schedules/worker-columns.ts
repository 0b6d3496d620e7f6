import { Worker } from '../../generated/types';
import { NOTHING, number, signed } from '../core/format';
import { Column } from '../shared/data-table/column';

type Clock = Pick<Worker, 'clock_offset' | 'clock_error'>;

/** "+1.3 ± 0.8 ms": how far its clock is ahead of that of the mgr's host. */
function clockText({ clock_offset: offset, clock_error: error }: Clock): string {
  if (offset === null) return NOTHING;
  return `${signed(1000 * offset)}${error === null ? '' : ` ± ${number(1000 * error)}`} ms`;
}

export const CLOCK: Column<Clock> = {
  key: 'clock_offset',
  title: 'Clock',
  help: 'How far its clock is ahead of the clock on the active manager’s host.',
  value: (row) => row.clock_offset,
  text: clockText,
  sortable: true,
  figure: true,
};
