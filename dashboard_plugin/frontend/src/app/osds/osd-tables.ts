import { LastBench, Sample } from '../../generated/types';
import { mib, number, percent } from '../core/format';
import { Column, figure, minor } from '../shared/data-table/column';

export function historyColumns(): readonly Column<LastBench>[] {
  return [
    { key: 'round', title: 'Round', value: (row) => row.round, sortable: true },
    { key: 'at', title: 'Started', value: (row) => row.at, sortable: true },
    { key: 'profile', title: 'Profile', value: (row) => row.profile, sortable: true },
    { key: 'verdict', title: 'Verdict', value: (row) => row.verdict, sortable: true },
    figure('bytes_per_second', 'MiB/s', mib),
    figure('iops', 'IOPS', number),
    minor(
      figure(
        'cv_percent',
        'CV',
        (value) => percent(value, 1),
        'Coefficient of variation: how much its repeats differ.',
      ),
    ),
    figure(
      'percent_of_peers',
      'Of peers',
      percent,
      'Percent of the median of the other OSDs of the same device class and model.',
    ),
    minor(
      figure(
        'robust_z',
        'Robust z',
        number,
        'How many robust standard deviations it is from its peers; negative is slower.',
      ),
    ),
  ];
}

export function sampleColumns(): readonly Column<Sample>[] {
  return [
    { key: 'repeat', title: 'Repeat', value: (row) => row.repeat },
    { key: 'wave', title: 'Wave', value: (row) => row.wave },
    { key: 'started_at', title: 'Started', value: (row) => row.started_at },
    {
      key: 'bytes_per_second',
      title: 'MiB/s',
      value: (row) => row.bytes_per_second,
      text: (row) => mib(row.bytes_per_second),
      figure: true,
    },
    {
      key: 'iops',
      title: 'IOPS',
      value: (row) => row.iops,
      text: (row) => number(row.iops),
      figure: true,
    },
    {
      key: 'seconds',
      title: 'Seconds',
      value: (row) => row.seconds,
      text: (row) => number(row.seconds, 2),
      figure: true,
    },
    {
      key: 'valid',
      title: 'Counts',
      value: (row) => row.valid,
      text: (row) => (row.valid ? 'yes' : `no: ${row.why}`),
    },
  ];
}
