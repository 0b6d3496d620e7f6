import { Limits } from '../../generated/types';
import { number, short } from '../core/format';
import { FigureName, MapData, SeenName } from './map-data';

/** Something the map can show by colour. */
export interface Layer {
  readonly key: string;
  readonly title: string;
  readonly figure: FigureName;
  readonly unit: string;
  /** From the figure as it is stored to the one that is read. */
  readonly scale: (value: number) => number;
  /** Bounds between the colours; without, they are fitted to the data. */
  readonly bounds?: readonly number[];
  /** The module's limit that is a bound, too. */
  readonly limit?: 'slow_percent';
  /** Suspects and slow OSDs have colours of their own, whatever their figure is. */
  readonly verdicts?: true;
  /** Fitted bounds stand in ratios to each other: devices of different kinds are far apart. */
  readonly inRatios?: true;
  readonly ramp: Ramp;
  /** Whose figure it is, and so whose slow OSDs are marked. */
  readonly of: 'bench' | 'watch';
}

/** Around even with low or high for slow; from even to slow; or just rising. */
type Ramp = 'slow-low' | 'slow-high' | 'slower' | 'rising';

const same = (value: number): number => value;

/** All layers, in the order of the choice. Another figure of the map is another entry here. */
export const LAYERS: readonly Layer[] = [
  {
    key: 'peers',
    title: 'Percent of peers',
    figure: 'percent_of_peers',
    unit: '%',
    scale: same,
    bounds: [50, 70, 95, 105, 120],
    limit: 'slow_percent',
    ramp: 'slow-low',
    of: 'bench',
  },
  {
    key: 'cv',
    title: 'Spread of repeats (CV, %)',
    figure: 'cv_percent',
    unit: '%',
    scale: same,
    bounds: [1, 2.5, 5, 10, 20],
    ramp: 'rising',
    of: 'bench',
  },
  {
    key: 'ratio',
    title: 'Latency against peers (times)',
    figure: 'ratio',
    unit: '×',
    scale: same,
    bounds: [0.8, 0.95, 1.05, 1.25],
    verdicts: true,
    ramp: 'slow-high',
    of: 'watch',
  },
  {
    key: 'risk',
    title: 'Risk',
    figure: 'risk',
    unit: '',
    scale: same,
    // A day at 1.5 times the peers' latency comes to some 50, a quarter of an hour to 0.75.
    bounds: [0.5, 2, 10, 50],
    ramp: 'slower',
    of: 'watch',
  },
  latency('commit', 'Commit latency (ms)', 'commit_ms'),
  latency('read', 'Read latency (ms)', 'read_ms'),
  latency('write', 'Write latency (ms)', 'write_ms'),
];

function latency(key: string, title: string, figure: SeenName): Layer {
  return {
    key,
    title,
    figure,
    unit: 'ms',
    scale: same,
    inRatios: true,
    ramp: 'rising',
    of: 'watch',
  };
}

/** Seven steps from slow (orange) over even (the fifth) to fast (blue), apart for all eyes. */
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
  /** By row who is slow, and who may be. */
  readonly marks: Uint8Array;
}

/** The classes above the bounds of a layer of verdicts. */
export const VERDICTS: readonly string[] = ['suspect', 'slow'];
export const NO_DATA = 255;
export const SUSPECT = 1;
export const SLOW = 2;

export function paint(
  layer: Layer,
  data: MapData,
  dark: boolean,
  limits: Limits | undefined,
): Painted {
  const read = data.figures[layer.figure].map(layer.scale);
  const bounds = boundsOf(layer, limits) ?? (layer.inRatios ? fittedInRatios(read) : fitted(read));
  const classes = Uint8Array.from(read, (value, row) => {
    const verdict = layer.verdicts ? VERDICTS.indexOf(data.state[row] ?? '') : -1;
    return verdict < 0 ? classOf(value, bounds) : bounds.length + 1 + verdict;
  });
  const count = bounds.length + 1 + (layer.verdicts ? VERDICTS.length : 0);
  const counts = new Array<number>(count).fill(0);
  for (const found of classes) if (found !== NO_DATA) counts[found] = (counts[found] ?? 0) + 1;
  const colours = coloursOf(layer, count, dark);
  return { bounds, colours, classes, counts, marks: marksOf(layer, data) };
}

/** The layer's own bounds, with the module's limit in its place among them. */
export function boundsOf(layer: Layer, limits: Limits | undefined): readonly number[] | undefined {
  const limit = layer.limit && limits?.[layer.limit];
  return limit && layer.bounds ? [...layer.bounds, limit].sort((a, b) => a - b) : layer.bounds;
}

function marksOf(layer: Layer, data: MapData): Uint8Array {
  const words = { slow: SLOW, suspect: SUSPECT, ok: 0, 'no-data': 0 };
  if (layer.of === 'watch') return Uint8Array.from(data.state, (state) => words[state]);
  return Uint8Array.from(data.slow, (slow) => (slow ? SLOW : 0));
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
  const [low, high] = middle(values) ?? [];
  if (low === undefined || high === undefined) return [];
  const step = roundStep((high - low) / (CLASSES - 2) || Math.abs(low) / 10 || 1);
  const first = Math.floor(low / step) + 1;
  return Array.from({ length: CLASSES - 1 }, (_, index) => (first + index) * step);
}

/** Where the middle lies further apart than this, even steps would be one step for most. */
const APART = 8;

/** 1, 2, 5, 10, … where the values are far apart, else even steps. */
export function fittedInRatios(values: Float64Array): readonly number[] {
  const [low, high] = middle(values) ?? [];
  if (low === undefined || high === undefined || low <= 0 || high / low < APART) {
    return fitted(values);
  }
  const steps = Array.from({ length: 30 }, (_, index) => {
    const power = 10 ** (Math.floor(Math.log10(low)) + Math.floor(index / 3));
    return ([1, 2, 5][index % 3] ?? 1) * power;
  });
  return steps.filter((step) => step > low).slice(0, CLASSES - 1);
}

/** The lowest and the highest of all but the outermost values. */
function middle(values: Float64Array): readonly [number, number] | null {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort();
  if (sorted.length === 0) return null;
  const low = sorted[Math.floor(sorted.length * 0.02)] ?? 0;
  return [low, sorted[Math.ceil(sorted.length * 0.98) - 1] ?? low];
}

/** A bound as the legend writes it. */
export function boundText(bound: number): string {
  if (bound < 10) return short(bound, 3);
  const tenths = Number((10 * bound).toPrecision(5));
  return number(bound, Number.isInteger(tenths) && !Number.isInteger(tenths / 10) ? 1 : 0);
}

/** An OSD's figure with its unit; empty where nobody measured it. */
export function valueText({ figure, scale, unit }: Layer, data: MapData, row: number): string {
  const value = scale(data.figures[figure][row] ?? Number.NaN);
  return Number.isNaN(value) ? '' : `${number(value, value < 10 ? 2 : 0)} ${unit}`.trim();
}

function roundStep(width: number): number {
  const power = 10 ** Math.floor(Math.log10(width));
  return ([1, 2, 5, 10].find((factor) => factor * power >= width) ?? 10) * power;
}

function coloursOf(layer: Layer, count: number, dark: boolean): readonly string[] {
  const ramp = rampOf(layer.ramp, dark ? 'dark' : 'light');
  if (count >= ramp.length) return ramp;
  const step = (ramp.length - 1) / Math.max(1, count - 1);
  return Array.from({ length: count }, (_, index) => ramp[Math.round(index * step)] ?? '');
}

/** The even one of the steps around it. */
const EVEN = 4;

function rampOf(ramp: Ramp, theme: 'light' | 'dark'): readonly string[] {
  if (ramp === 'rising') return RISING[theme];
  const around = AROUND[theme];
  if (ramp === 'slow-low') return around;
  return (ramp === 'slower' ? around.slice(0, EVEN + 1) : [...around]).reverse();
}
