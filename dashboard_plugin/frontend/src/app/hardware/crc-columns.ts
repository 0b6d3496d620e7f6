import { CrcErrors, CrcHost, CrcOsd } from '../../generated/types';
import { NOTHING, gib, number, share } from '../core/format';
import { Column, figure, minor } from '../shared/data-table/column';
import { tenantsText } from '../shared/tenants.component';
import { TEXTS } from '../shared/words';

export function osdColumns(): readonly Column<CrcOsd>[] {
  return [
    {
      key: 'osd',
      title: 'OSD',
      value: (row) => row.osd,
      text: (row) => `osd.${row.osd}`,
      sortable: true,
    },
    { key: 'host', title: 'Host', value: (row) => row.host, sortable: true },
    figure(
      'checksum_share',
      'Share',
      share,
      'Share of the time of the OSD’s op threads in the newest window. OSDs of Ceph 16 do not send it and are asked for it.',
    ),
    figure('peers_median', 'Peers', share),
    figure('peak_share', 'Highest', share, 'Highest share of the last 24 hours.'),
    { key: 'hot_since', title: 'High since', value: (row) => row.hot_since, sortable: true },
    figure(
      'bytes_per_second',
      'GiB/s',
      gib,
      'Bytes read from the device per second of checksum time, inside the OSD.',
    ),
    minor(figure('op_threads', 'Op threads', (value) => number(value, 0))),
  ];
}

export function errorColumns(): readonly Column<CrcErrors>[] {
  const place = ({ enclosure, slot, expander }: CrcErrors): string =>
    [enclosure, slot === null ? null : `slot ${slot}`, expander]
      .filter((part) => part !== null)
      .join(', ');
  return [
    figure(
      'per_day',
      'In 24 h',
      (value) => number(value, 0),
      'New in the last 24 hours; – if there is only one reading, or none in this time.',
    ),
    figure('count', 'Total', (value) => number(value, 0)),
    {
      key: 'kind',
      title: 'Errors',
      value: (row) => TEXTS[`crc.kind.${row.kind}`],
      sortable: true,
    },
    {
      key: 'osd',
      title: 'OSD',
      value: (row) => row.osd,
      text: (row) => tenantsText(row) || NOTHING,
      sortable: true,
    },
    { key: 'host', title: 'Host', value: (row) => row.host, sortable: true },
    {
      key: 'device',
      title: 'Device',
      value: (row) => row.device ?? row.phy,
      text: (row) => row.device ?? row.phy ?? NOTHING,
      sortable: true,
    },
    { key: 'place', title: 'Where', value: place, text: (row) => place(row) || NOTHING },
    { key: 'since', title: 'Growing since', value: (row) => row.since, sortable: true },
  ];
}

export function hostColumns(): readonly Column<CrcHost>[] {
  return [
    { key: 'host', title: 'Host', value: (row) => row.host, sortable: true },
    { key: 'cpu', title: 'CPU', value: (row) => row.cpu, text: (row) => row.cpu ?? NOTHING },
    figure(
      'crc32c_bytes_per_second',
      'One core GiB/s',
      gib,
      'CRC32C of one core in GiB/s, as the host tool measured it.',
    ),
  ];
}
