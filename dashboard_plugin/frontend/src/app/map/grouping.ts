import { byName } from '../core/format';
import { VERDICTS } from './layers';
import { MapData } from './map-data';

export type GroupKey = 'rack' | 'host' | 'class';
export const GROUPS: readonly GroupKey[] = ['rack', 'host', 'class'];

/** OSDs (rows of the data) under one name, in strips: a strip is a host, or a part of one. */
export interface Group {
  readonly name: string;
  readonly strips: readonly (readonly number[])[];
}

export function grouped(data: MapData, by: GroupKey): readonly Group[] {
  const groups = new Map<string, Map<string, number[]>>();
  for (let row = 0; row < data.count; row += 1) {
    const hosts = ensure(groups, data[by][row] ?? '', () => new Map<string, number[]>());
    ensure(hosts, data.host[row] ?? '', () => []).push(row);
  }
  const named = [...groups].sort(([a], [b]) => byName(a, b));
  return named.map(([name, hosts]) => {
    const strips = [...hosts].sort(([a], [b]) => byName(a, b)).map(([, rows]) => rows);
    return { name, strips: by === 'host' ? strips.flatMap(wrapped) : strips };
  });
}

/** Groups with slow OSDs first, then those with suspects, the others by name. */
export function worstGroups(groups: readonly Group[], data: MapData): readonly Group[] {
  const ranks = new Map(
    groups.map((group) => [
      group,
      Math.max(...group.strips.flat().map((row) => VERDICTS.indexOf(data.state[row] ?? ''))),
    ]),
  );
  return [...groups].sort((a, b) => (ranks.get(b) ?? 0) - (ranks.get(a) ?? 0));
}

/** A host alone is drawn as a block about twice as wide as high. */
function wrapped(rows: readonly number[]): readonly (readonly number[])[] {
  const width = Math.max(4, Math.ceil(Math.sqrt(rows.length * 2)));
  const count = Math.ceil(rows.length / width);
  return Array.from({ length: count }, (_, index) =>
    rows.slice(index * width, (index + 1) * width),
  );
}

function ensure<V>(map: Map<string, V>, key: string, make: () => V): V {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}
