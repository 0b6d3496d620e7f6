import { OsdResult } from '../../generated/types';
import { mib, number, percent } from '../core/format';
import { Column, figure, minor } from '../shared/data-table/column';

/** The columns of a round's OSDs. */
export function osdColumns(): readonly Column<OsdResult>[] {
  const text = (key: 'host' | 'class' | 'model', title: string): Column<OsdResult> => ({
    key,
    title,
    value: (row) => row[key],
    sortable: true,
  });
  return [
    { key: 'osd', title: 'OSD', value: (row) => row.osd, sortable: true },
    text('host', 'Host'),
    text('class', 'Class'),
    text('model', 'Model'),
    figure('median_bytes_per_second', 'MiB/s', mib),
    figure('median_iops', 'IOPS', number),
    figure(
      'cv_percent',
      'CV',
      (value) => percent(value, 1),
      'Coefficient of variation: how much its repeats differ.',
    ),
    figure(
      'percent_of_peers',
      'Of peers',
      percent,
      'Percent of the median of the other OSDs of the same device class and model.',
    ),
    figure(
      'robust_z',
      'Robust z',
      number,
      'How many robust standard deviations it is from its peers; negative is slower.',
    ),
    minor(figure('samples', 'Samples', (value) => number(value, 0))),
  ];
}
