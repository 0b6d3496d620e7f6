import { mib, milliseconds, number, percent } from '../core/format';
import { MapData, known } from './map-data';
import { fill } from '../shared/fill';
import { stateText } from '../shared/state-badge.component';

/** An OSD of the map in words: which it is, where it stands, and the figures that are shown. */
export function wordsOf(data: MapData, row: number, watching: boolean): string {
  const name = `osd.${data.osd[row] ?? ''}${data.up[row] ? '' : ` (down)`}`;
  const place = [data.host[row], data.rack[row], data.class[row]].filter(Boolean).join(' · ');
  const figures = watching ? seen(data, row) : benched(data, row);
  return [name, place, ...figures].filter(Boolean).join('\n');
}

function benched({ round, figures }: MapData, row: number): readonly string[] {
  if (round[row] === null) return ['no data'];
  return [
    `${mib(known(figures.bytes_per_second[row]))} MiB/s · ${number(known(figures.iops[row]))} IOPS`,
    `${percent(known(figures.percent_of_peers[row]))} of peers · CV ${percent(
      known(figures.cv_percent[row]),
      1,
    )}`,
  ];
}

function seen({ state, figures }: MapData, row: number): readonly string[] {
  const [ratio, risk] = [known(figures.ratio[row]), known(figures.risk[row])];
  const ms = {
    commit: milliseconds(known(figures.commit_ms[row])),
    read: milliseconds(known(figures.read_ms[row])),
    write: milliseconds(known(figures.write_ms[row])),
  };
  const told = Object.values(ms).some((text) => text !== '–');
  return [
    stateText(state[row] ?? 'no-data'),
    ratio === null ? '' : `${number(ratio, 2)} times its peers`,
    told ? fill('commit {commit} · read {read} · write {write} ms', ms) : '',
    risk ? `Risk ${number(risk)}` : '',
  ];
}
