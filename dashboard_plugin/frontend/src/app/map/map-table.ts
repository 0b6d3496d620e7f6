import { Osd } from '../../generated/types';
import { mib, milliseconds, number, percent } from '../core/format';
import { Translate } from '../i18n/i18n';
import { Column, figure, minor } from '../shared/data-table/column';
import { Layer } from './layers';
import { MapData, SeenName, known } from './map-data';

/** The map's OSD as a row of its table. */
export interface MapRow extends Readonly<Record<SeenName, number | null>> {
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
  readonly state: Osd['state'];
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
    state: data.state[row] ?? 'no-data',
    ratio: known(data.figures.ratio[row]),
    risk: known(data.figures.risk[row]),
    commit_ms: known(data.figures.commit_ms[row]),
    read_ms: known(data.figures.read_ms[row]),
    write_ms: known(data.figures.write_ms[row]),
  }));
}

const STATES = ['slow', 'suspect', 'no-data', 'ok'];

/** Slow ones first, then suspects, then of what nothing is known; the highest ratio first. */
export function worstFirst(rows: readonly MapRow[]): readonly MapRow[] {
  const rank = ({ state }: MapRow): number => STATES.indexOf(state);
  return [...rows].sort((a, b) => rank(a) - rank(b) || (b.ratio ?? 0) - (a.ratio ?? 0));
}

/** Where an OSD stands, with its figures of the newest bench or of the watch. */
export function mapColumns(of: Layer['of'], t: Translate): readonly Column<MapRow>[] {
  return [...placeColumns(t), ...(of === 'watch' ? seenColumns(t) : benchColumns(t))];
}

function placeColumns(t: Translate): readonly Column<MapRow>[] {
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
    minor(text('class', t('common.class'))),
    {
      key: 'up',
      title: t('common.state'),
      value: (row) => (row.up ? 'up' : 'down'),
      text: (row) => t(row.up ? 'osd.up' : 'osd.down'),
      sortable: true,
    },
  ];
}

function benchColumns(t: Translate): readonly Column<MapRow>[] {
  return [
    figure('percent_of_peers', t('common.peers'), percent, t('common.peers.help')),
    figure('bytes_per_second', t('common.throughput.unit'), mib),
    figure('iops', t('common.iops'), number),
    figure('cv_percent', t('common.cv'), (value) => percent(value, 1), t('common.cv.help')),
    minor(figure('robust_z', t('common.z'), number, t('common.z.help'))),
    figure('round', t('common.round'), (value) => number(value, 0)),
  ];
}

function seenColumns(t: Translate): readonly Column<MapRow>[] {
  return [
    {
      key: 'state',
      title: t('common.watched'),
      value: (row) => row.state,
      text: (row) => t(`word.${row.state}`),
      sortable: true,
    },
    figure('ratio', t('common.ratio'), (value) => number(value, 2), t('common.ratio.help')),
    figure('risk', t('common.risk'), number, t('common.risk.help')),
    figure('commit_ms', t('common.commit'), milliseconds),
    minor(figure('read_ms', t('common.read'), milliseconds)),
    minor(figure('write_ms', t('common.write'), milliseconds)),
  ];
}
