import { mib, milliseconds, number, percent } from '../core/format';
import { Translate } from '../i18n/i18n';
import { MapData, known } from './map-data';

/** An OSD of the map in words: which it is, where it stands, and the figures that are shown. */
export function wordsOf(data: MapData, row: number, watching: boolean, t: Translate): string {
  const name = `osd.${data.osd[row] ?? ''}${data.up[row] ? '' : ` (${t('osd.down')})`}`;
  const place = [data.host[row], data.rack[row], data.class[row]].filter(Boolean).join(' · ');
  const figures = watching ? seen(data, row, t) : benched(data, row, t);
  return [name, place, ...figures].filter(Boolean).join('\n');
}

function benched({ round, figures }: MapData, row: number, t: Translate): readonly string[] {
  if (round[row] === null) return [t('common.no-data')];
  return [
    `${mib(known(figures.bytes_per_second[row]))} MiB/s · ${number(known(figures.iops[row]))} IOPS`,
    `${percent(known(figures.percent_of_peers[row]))} ${t('map.of-peers')} · CV ${percent(
      known(figures.cv_percent[row]),
      1,
    )}`,
  ];
}

function seen({ state, figures }: MapData, row: number, t: Translate): readonly string[] {
  const [ratio, risk] = [known(figures.ratio[row]), known(figures.risk[row])];
  const ms = {
    commit: milliseconds(known(figures.commit_ms[row])),
    read: milliseconds(known(figures.read_ms[row])),
    write: milliseconds(known(figures.write_ms[row])),
  };
  const told = Object.values(ms).some((text) => text !== '–');
  return [
    t(`word.${state[row] ?? 'no-data'}`),
    ratio === null ? '' : t('map.times', { ratio: number(ratio, 2) }),
    told ? t('map.latencies', ms) : '',
    risk ? `${t('common.risk')} ${number(risk)}` : '',
  ];
}
