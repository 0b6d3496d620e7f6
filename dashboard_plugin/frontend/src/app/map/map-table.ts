import { Osd } from '../../generated/types';
import { mib, milliseconds, number, whole } from '../core/format';
import { Column, figure, minor, plain } from '../shared/data-table/column';
import { Layer } from './layers';
import { MapData, SeenName, known } from './map-data';
import { stateText } from '../shared/state-badge.component';
import { CV, OF_PEERS, ROBUST_Z } from '../rounds/result-column';

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

const PLACE: readonly Column<MapRow>[] = [
  plain('osd', 'OSD'),
  plain('host', 'Host'),
  plain('rack', 'Rack'),
  plain('class', 'Class', { minor: true }),
  plain('up', 'State', { value: (row) => (row.up ? 'up' : 'down') }),
];

/** Where an OSD stands, with its figures of the newest bench or of the watch. */
export const MAP_COLUMNS: Readonly<Record<Layer['of'], readonly Column<MapRow>[]>> = {
  bench: [
    ...PLACE,
    OF_PEERS,
    figure('bytes_per_second', 'MiB/s', mib),
    figure('iops', 'IOPS', number),
    CV,
    minor(ROBUST_Z),
    figure('round', 'Round', whole),
  ],
  watch: [
    ...PLACE,
    plain('state', 'Watch', { text: (row) => stateText(row.state) }),
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
  ],
};
