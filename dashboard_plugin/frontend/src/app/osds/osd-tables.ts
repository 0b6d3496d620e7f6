import { LastBench, Sample } from '../../generated/types';
import { mib, number, percent } from '../core/format';
import { Translate } from '../i18n/i18n';
import { Column, figure, minor } from '../shared/data-table/column';

export function historyColumns(t: Translate): readonly Column<LastBench>[] {
  return [
    { key: 'round', title: t('common.round'), value: (row) => row.round, sortable: true },
    { key: 'at', title: t('common.started'), value: (row) => row.at, sortable: true },
    { key: 'profile', title: t('common.profile'), value: (row) => row.profile, sortable: true },
    { key: 'verdict', title: t('common.verdict'), value: (row) => row.verdict, sortable: true },
    figure('bytes_per_second', t('common.throughput.unit'), mib),
    figure('iops', t('common.iops'), number),
    minor(figure('cv_percent', t('common.cv'), (value) => percent(value, 1), t('common.cv.help'))),
    figure('percent_of_peers', t('common.peers'), percent, t('common.peers.help')),
    minor(figure('robust_z', t('common.z'), number, t('common.z.help'))),
  ];
}

export function sampleColumns(t: Translate): readonly Column<Sample>[] {
  return [
    { key: 'repeat', title: t('sample.repeat'), value: (row) => row.repeat },
    { key: 'wave', title: t('sample.wave'), value: (row) => row.wave },
    { key: 'started_at', title: t('common.started'), value: (row) => row.started_at },
    {
      key: 'bytes_per_second',
      title: t('common.throughput.unit'),
      value: (row) => row.bytes_per_second,
      text: (row) => mib(row.bytes_per_second),
      figure: true,
    },
    {
      key: 'iops',
      title: t('common.iops'),
      value: (row) => row.iops,
      text: (row) => number(row.iops),
      figure: true,
    },
    {
      key: 'seconds',
      title: t('sample.seconds'),
      value: (row) => row.seconds,
      text: (row) => number(row.seconds, 2),
      figure: true,
    },
    {
      key: 'valid',
      title: t('sample.valid'),
      value: (row) => row.valid,
      text: (row) => (row.valid ? t('common.yes') : t('sample.no', { why: row.why })),
    },
  ];
}
