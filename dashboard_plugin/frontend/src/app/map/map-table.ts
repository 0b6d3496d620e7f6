import { Osd } from '../../generated/types';
import { mib, milliseconds, number, percent } from '../core/format';
import { Column, figure, minor } from '../shared/data-table/column';
import { Layer } from './layers';
import { MapData, SeenName, known } from './map-data';
import { TEXTS } from '../shared/words';

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
export function mapColumns(of: Layer['of']): readonly Column<MapRow>[] {
  return [...placeColumns(), ...(of === 'watch' ? seenColumns() : benchColumns())];
}

function placeColumns(): readonly Column<MapRow>[] {
  const text = (key: 'host' | 'rack' | 'class', title: string): Column<MapRow> => ({
    key,
    title,
    value: (row) => row[key],
    sortable: true,
  });
  return [
    { key: 'osd', title: 'OSD', value: (row) => row.osd, sortable: true },
    text('host', 'Host'),
    text('rack', 'Rack'),
    minor(text('class', 'Class')),
    {
      key: 'up',
      title: 'State',
      value: (row) => (row.up ? 'up' : 'down'),
      text: (row) => (row.up ? 'up' : 'down'),
      sortable: true,
    },
  ];
}

function benchColumns(): readonly Column<MapRow>[] {
  return [
    figure(
      'percent_of_peers',
      'Of peers',
      percent,
      'Percent of the median of the other OSDs of the same device class and model.',
    ),
    figure('bytes_per_second', 'MiB/s', mib),
    figure('iops', 'IOPS', number),
    figure(
      'cv_percent',
      'CV',
      (value) => percent(value, 1),
      'Coefficient of variation: how much its repeats differ.',
    ),
    minor(
      figure(
        'robust_z',
        'Robust z',
        number,
        'How many robust standard deviations it is from its peers; negative is slower.',
      ),
    ),
    figure('round', 'Round', (value) => number(value, 0)),
  ];
}

function seenColumns(): readonly Column<MapRow>[] {
  return [
    {
      key: 'state',
      title: 'Watch',
      value: (row) => row.state,
      text: (row) => TEXTS[`word.${row.state}`],
      sortable: true,
    },
    figure(
      'ratio',
      'Ratio',
      (value) => number(value, 2),
      'Its latency divided by that of its peers: 1 is the same, 2 is twice as slow.',
    ),
    figure(
      'risk',
      'Risk',
      number,
      'How slow it was times how long, halved every day; only for ranking.',
    ),
    figure('commit_ms', 'Commit ms', milliseconds),
    minor(figure('read_ms', 'Read ms', milliseconds)),
    minor(figure('write_ms', 'Write ms', milliseconds)),
  ];
}
