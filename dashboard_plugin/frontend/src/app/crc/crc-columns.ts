import { CrcErrors, CrcHost, CrcOsd } from '../../generated/types';
import { NOTHING, gib, number, share } from '../core/format';
import { Translate } from '../i18n/i18n';
import { Column, figure, minor } from '../shared/data-table/column';
import { tenantsText } from '../shared/tenants.component';

export function osdColumns(t: Translate): readonly Column<CrcOsd>[] {
  return [
    {
      key: 'osd',
      title: t('common.osd'),
      value: (row) => row.osd,
      text: (row) => `osd.${row.osd}`,
      sortable: true,
    },
    { key: 'host', title: t('common.host'), value: (row) => row.host, sortable: true },
    figure('checksum_share', t('crc.share'), share, t('crc.share.help')),
    figure('peers_median', t('crc.peers'), share),
    figure('peak_share', t('crc.peak'), share, t('crc.peak.help')),
    { key: 'hot_since', title: t('crc.since'), value: (row) => row.hot_since, sortable: true },
    figure('bytes_per_second', t('crc.rate'), gib, t('crc.rate.help')),
    minor(figure('op_threads', t('crc.threads'), (value) => number(value, 0))),
  ];
}

export function errorColumns(t: Translate): readonly Column<CrcErrors>[] {
  const place = ({ enclosure, slot, expander }: CrcErrors): string =>
    [enclosure, slot === null ? null : t('enclosure.slot.is', { slot }), expander]
      .filter((part) => part !== null)
      .join(', ');
  return [
    figure('per_day', t('crc.per-day'), (value) => number(value, 0), t('crc.per-day.help')),
    figure('count', t('crc.count'), (value) => number(value, 0)),
    {
      key: 'kind',
      title: t('crc.kind'),
      value: (row) => t(`crc.kind.${row.kind}`),
      sortable: true,
    },
    {
      key: 'osd',
      title: t('common.osd'),
      value: (row) => row.osd,
      text: (row) => tenantsText(row, t) || NOTHING,
      sortable: true,
    },
    { key: 'host', title: t('common.host'), value: (row) => row.host, sortable: true },
    {
      key: 'device',
      title: t('common.device'),
      value: (row) => row.device ?? row.phy,
      text: (row) => row.device ?? row.phy ?? NOTHING,
      sortable: true,
    },
    { key: 'place', title: t('crc.place'), value: place, text: (row) => place(row) || NOTHING },
    { key: 'since', title: t('crc.growing'), value: (row) => row.since, sortable: true },
  ];
}

export function hostColumns(t: Translate): readonly Column<CrcHost>[] {
  return [
    { key: 'host', title: t('common.host'), value: (row) => row.host, sortable: true },
    { key: 'cpu', title: t('crc.cpu'), value: (row) => row.cpu, text: (row) => row.cpu ?? NOTHING },
    figure('crc32c_bytes_per_second', t('crc.core'), gib, t('crc.core.help')),
  ];
}
