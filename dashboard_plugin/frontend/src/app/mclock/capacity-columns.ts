import { Capacity } from '../../generated/types';
import { NOTHING, number } from '../core/format';
import { Column, figure } from '../shared/data-table/column';
import { TEXTS } from '../shared/words';

const iops = (value: number | null): string => number(value, 0);

/** The keys of columns that sort are those that the back end sorts by. */
export function capacityColumns(): readonly Column<Capacity>[] {
  return [
    {
      key: 'osd',
      title: 'OSD',
      value: (row) => row.osd,
      text: (row) => `osd.${row.osd}`,
      sortable: true,
    },
    {
      key: 'class',
      title: 'Class',
      value: (row) => row.class,
      text: (row) => row.class ?? NOTHING,
      minor: true,
      sortable: true,
    },
    figure('configured_iops', 'Configured IOPS', iops),
    {
      key: 'source',
      title: 'Set for',
      help: 'Whether the value is set for this OSD alone or for several, or is the default.',
      value: (row) => row.source,
      text: (row) => TEXTS[`mclock.source.${row.source}`],
      sortable: true,
    },
    figure('measured_iops', 'Measured IOPS', iops),
    {
      key: 'plausible',
      title: 'Plausible IOPS',
      help: 'The range that Ceph itself accepts for such a device.',
      value: (row) => row.plausible.join('–'),
      text: (row) => row.plausible.map((value) => number(value, 0)).join('–'),
      figure: true,
      minor: true,
    },
    { key: 'verdict', title: 'Verdict', value: (row) => row.verdict, sortable: true },
    figure('proposed', 'Proposed IOPS', iops),
  ];
}
