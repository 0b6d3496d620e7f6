import { OsdResult } from '../../generated/types';
import { mib, number, percent } from '../core/format';
import { Translate } from '../i18n/i18n';
import { Column, figure, minor } from '../shared/data-table/column';

/** The columns of a round's OSDs. */
export function osdColumns(t: Translate): readonly Column<OsdResult>[] {
  const text = (key: 'host' | 'class' | 'model', title: string): Column<OsdResult> => ({
    key,
    title,
    value: (row) => row[key],
    sortable: true,
  });
  return [
    { key: 'osd', title: t('common.osd'), value: (row) => row.osd, sortable: true },
    text('host', t('common.host')),
    text('class', t('common.class')),
    text('model', t('common.model')),
    figure('median_bytes_per_second', t('common.throughput.unit'), mib),
    figure('median_iops', t('common.iops'), number),
    figure('cv_percent', t('common.cv'), (value) => percent(value, 1), t('common.cv.help')),
    figure('percent_of_peers', t('common.peers'), percent, t('common.peers.help')),
    figure('robust_z', t('common.z'), number, t('common.z.help')),
    minor(figure('samples', t('common.samples'), (value) => number(value, 0))),
  ];
}
