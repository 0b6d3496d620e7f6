import { Worker } from '../../generated/types';
import { NOTHING, number, signed } from '../core/format';
import { Translate } from '../i18n/i18n';
import { Column, minor } from '../shared/data-table/column';

type Clock = Pick<Worker, 'clock_offset' | 'clock_error'>;

/** "+1.3 ± 0.8 ms": how far its clock is ahead of that of the mgr's host. */
function clockText({ clock_offset: offset, clock_error: error }: Clock): string {
  if (offset === null) return NOTHING;
  return `${signed(1000 * offset)}${error === null ? '' : ` ± ${number(1000 * error)}`} ms`;
}

export function clockColumn(t: Translate): Column<Clock> {
  return {
    key: 'clock_offset',
    title: t('workers.clock'),
    help: t('workers.clock.help'),
    value: (row) => row.clock_offset,
    text: clockText,
    sortable: true,
    figure: true,
  };
}

/** The keys of columns that sort are those that the back end sorts by. */
export function workerColumns(t: Translate): readonly Column<Worker>[] {
  const plain = (key: 'id' | 'host' | 'state' | 'version', title: string): Column<Worker> => ({
    key,
    title,
    value: (row) => row[key],
    sortable: true,
  });
  return [
    plain('id', t('workers.id')),
    plain('host', t('common.host')),
    plain('state', t('common.state')),
    {
      key: 'note',
      title: t('workers.note'),
      value: (row) => row.note,
      sortable: true,
    },
    clockColumn(t),
    minor(plain('version', t('workers.version'))),
    { key: 'last_seen', title: t('finding.last'), value: (row) => row.last_seen, sortable: true },
  ];
}
