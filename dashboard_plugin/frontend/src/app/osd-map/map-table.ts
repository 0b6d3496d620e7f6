import { mib, number, percent } from '../core/format';
import { I18n } from '../i18n/i18n';
import { Column } from '../shared/data-table/column';
import { MapData, known } from './map-data';

/** The map's OSD as a row of its table. */
export interface MapRow {
  readonly osd: number;
  readonly host: string;
  readonly rack: string;
  readonly class: string;
  readonly up: boolean;
  readonly round: number | null;
  readonly bytes_per_second: number | null;
  readonly iops: number | null;
  readonly cv_percent: number | null;
  readonly percent_of_peers: number | null;
  readonly robust_z: number | null;
}

export function mapRows(data: MapData): readonly MapRow[] {
  return data.osd.map((osd, row) => ({
    osd,
    host: data.host[row] ?? '',
    rack: data.rack[row] ?? '',
    class: data.class[row] ?? '',
    up: data.up[row] ?? true,
    round: data.round[row] ?? null,
    bytes_per_second: known(data.figures.bytes_per_second[row]),
    iops: known(data.figures.iops[row]),
    cv_percent: known(data.figures.cv_percent[row]),
    percent_of_peers: known(data.figures.percent_of_peers[row]),
    robust_z: known(data.figures.robust_z[row]),
  }));
}

export function mapColumns(t: I18n['t']): readonly Column<MapRow>[] {
  const text = (key: 'host' | 'rack' | 'class', title: string): Column<MapRow> => ({
    key,
    title,
    value: (row) => row[key],
    sortable: true,
  });
  return [
    { key: 'osd', title: t('common.osd'), value: (row) => row.osd, sortable: true },
    text('host', t('common.host')),
    text('rack', t('common.rack')),
    text('class', t('common.class')),
    {
      key: 'up',
      title: t('common.state'),
      value: (row) => (row.up ? 'up' : 'down'),
      text: (row) => t(row.up ? 'osd.up' : 'osd.down'),
      sortable: true,
    },
    figure('percent_of_peers', t('common.peers'), percent, t('common.peers.help')),
    figure('bytes_per_second', t('common.throughput.unit'), mib),
    figure('iops', t('common.iops'), number),
    figure('cv_percent', t('common.cv'), (value) => percent(value, 1), t('common.cv.help')),
    figure('robust_z', t('common.z'), number, t('common.z.help')),
    figure('round', t('common.round'), (value) => number(value, 0)),
  ];
}

type FigureKey =
  'bytes_per_second' | 'iops' | 'cv_percent' | 'percent_of_peers' | 'robust_z' | 'round';

function figure(
  key: FigureKey,
  title: string,
  shown: (value: number | null) => string,
  help = '',
): Column<MapRow> {
  const value = (row: MapRow): number | null => row[key];
  return {
    key,
    title,
    help,
    value,
    text: (row) => shown(value(row)),
    sortable: true,
    figure: true,
  };
}
