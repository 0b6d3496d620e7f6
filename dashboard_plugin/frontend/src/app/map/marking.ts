import { Target } from '../../generated/types';
import { byName } from '../core/format';
import { MapData } from './map-data';

/** The map with what a finding is about marked on it; null where a map has no such thing. */
export function mapRoute({ kind, id }: Target): string | null {
  if (kind !== 'osd' && kind !== 'host' && kind !== 'rack') return null;
  const name = kind === 'osd' ? `osd.${id}` : id;
  const group = kind === 'osd' ? '' : `&group=${kind}`;
  return `/map?layer=ratio${group}&mark=${encodeURIComponent(name)}`;
}

const OSD = /^(?:osd\.)?(\d{1,9})$/i;

/** The rows of an OSD ("osd.3", "3"), or of a host or rack with that name. */
export function rowsNamed(data: MapData, word: string): readonly number[] {
  const wanted = word.trim();
  const osd = OSD.exec(wanted)?.[1];
  const all = Array.from({ length: data.count }, (_, row) => row);
  const isNamed = (name: string | undefined): boolean =>
    name !== undefined && name !== '' && byName(name, wanted) === 0;
  if (osd !== undefined) {
    const row = data.osd.indexOf(Number(osd));
    if (row >= 0) return [row];
  }
  return all.filter((row) => isNamed(data.host[row]) || isNamed(data.rack[row]));
}
