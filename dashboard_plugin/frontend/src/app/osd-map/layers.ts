import { inMib, number } from '../core/format';
import { Key } from '../i18n/en';
import { FigureName, MapData } from './map-data';

/** Something the map can show by colour. */
export interface Layer {
  readonly key: string;
  readonly title: Key;
  readonly figure: FigureName;
  readonly unit: string;
  /** From the figure as it is stored to the one that is read. */
  readonly scale: (value: number) => number;
  /** Bounds between the colours; without, they are fitted to the data. */
  readonly bounds?: readonly number[];
  readonly ramp: 'around' | 'rising';
}

const same = (value: number): number => value;

/** All layers, in the order of the choice. Another figure of the map is another entry here. */
export const LAYERS: readonly Layer[] = [
  {
    key: 'peers',
    title: 'map.layer.peers',
    figure: 'percent_of_peers',
    unit: '%',
    scale: same,
    // 83 is the line below which an OSD counts as slow (1 / 1.2).
    bounds: [50, 70, 100 / 1.2, 95, 105, 120],
    ramp: 'around',
  },
  {
    key: 'throughput',
    title: 'map.layer.throughput',
    figure: 'bytes_per_second',
    unit: 'MiB/s',
    scale: (value) => inMib(value) ?? Number.NaN,
    ramp: 'rising',
  },
  {
    key: 'iops',
    title: 'map.layer.iops',
    figure: 'iops',
    unit: 'IOPS',
    scale: same,
    ramp: 'rising',
  },
  {
    key: 'cv',
    title: 'map.layer.cv',
    figure: 'cv_percent',
    unit: '%',
    scale: same,
    bounds: [1, 2.5, 5, 10, 20],
    ramp: 'rising',
  },
];

/** Seven steps from slow (orange) over even to fast (blue): apart for colour-blind eyes. */
const AROUND = {
  light: ['#7f2704', '#d94801', '#fd8d3c', '#fddcb5', '#dfe3e8', '#9ecae1', '#3182bd'],
  dark: ['#ff8a3d', '#e0661a', '#b04a0c', '#7d5a3c', '#4a545e', '#3f7fb0', '#6db8f0'],
};
/** Cividis: rises in brightness, and looks the same to all eyes. */
const RISING = {
  light: ['#00224e', '#35456c', '#5f636f', '#8a8678', '#b8ab70', '#e4cf5b', '#fee838'],
  // Its dark end would be lost on a dark ground.
  dark: ['#33588f', '#4f6593', '#6f7383', '#918d7c', '#b8ab70', '#e4cf5b', '#fee838'],
};

const CLASSES = 7;

/** A layer laid over the data: the colour class of each OSD, and what each class means. */
export interface Painted {
  readonly bounds: readonly number[];
  readonly colours: readonly string[];
  /** By row the number of its class; `NO_DATA` where there is none. */
  readonly classes: Uint8Array;
  readonly counts: readonly number[];
}

export const NO_DATA = 255;

export function paint(layer: Layer, data: MapData, dark: boolean): Painted {
  const values = data.figures[layer.figure];
  const read = values.map(layer.scale);
  const bounds = layer.bounds ?? fitted(read);
  const classes = new Uint8Array(read.length);
  for (let row = 0; row < read.length; row += 1) {
    classes[row] = classOf(read[row] ?? Number.NaN, bounds);
  }
  const counts = new Array<number>(bounds.length + 1).fill(0);
  for (const found of classes) if (found !== NO_DATA) counts[found] = (counts[found] ?? 0) + 1;
  return { bounds, colours: coloursOf(layer, bounds.length + 1, dark), classes, counts };
}

/** How many bounds lie at or below the value. */
export function classOf(value: number, bounds: readonly number[]): number {
  if (Number.isNaN(value)) return NO_DATA;
  let found = 0;
  for (const bound of bounds) if (value >= bound) found += 1;
  return found;
}

/** Round bounds over the middle 96 % of the values: an outlier must not take all the colours. */
export function fitted(values: Float64Array): readonly number[] {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort();
  if (sorted.length === 0) return [];
  const low = sorted[Math.floor(sorted.length * 0.02)] ?? 0;
  const high = sorted[Math.ceil(sorted.length * 0.98) - 1] ?? low;
  const step = roundStep((high - low) / (CLASSES - 2) || Math.abs(low) / 10 || 1);
  const first = Math.floor(low / step) + 1;
  return Array.from({ length: CLASSES - 1 }, (_, index) => (first + index) * step);
}

/** A bound as the legend writes it. */
export function boundText(bound: number): string {
  return number(bound, Number.isInteger(bound) ? 0 : bound < 10 ? 1 : 0);
}

function roundStep(width: number): number {
  const power = 10 ** Math.floor(Math.log10(width));
  return ([1, 2, 5, 10].find((factor) => factor * power >= width) ?? 10) * power;
}

function coloursOf(layer: Layer, count: number, dark: boolean): readonly string[] {
  const ramp = (layer.ramp === 'rising' ? RISING : AROUND)[dark ? 'dark' : 'light'];
  if (count >= ramp.length) return ramp;
  const step = (ramp.length - 1) / Math.max(1, count - 1);
  return Array.from({ length: count }, (_, index) => ramp[Math.round(index * step)] ?? '');
}
