import { channelText } from '../core/channels';
import {
  NOTHING,
  duration,
  localTime,
  milliseconds,
  number,
  percent,
  rate,
  share,
  short,
  size,
} from '../core/format';

/** A value of evidence, ready to be shown. */
export type Shown =
  | { readonly as: 'text' | 'command'; readonly text: string }
  | { readonly as: 'osds'; readonly osds: readonly number[]; readonly more: string }
  | { readonly as: 'list'; readonly list: readonly Shown[] }
  | {
      readonly as: 'table';
      readonly heads: readonly string[];
      readonly rows: readonly (readonly Shown[])[];
    }
  | { readonly as: 'facts'; readonly facts: readonly Fact[] };

export interface Fact {
  readonly name: string;
  readonly value: Shown;
}

/** More OSDs than this are counted, not listed. */
const LISTED = 24;
/** Texts longer than this stand in lines of their own. */
const LONG = 40;
/** What a key ends with only for its unit. */
const SUFFIX = /_(ms|seconds|bytes|percent)$/;
/** The units of keys, by a part of their names. */
const UNITS: readonly (readonly [RegExp, string])[] = [
  [/bytes_per_second/, 'B/s'],
  [/^bytes|_bytes$/, 'B'],
  [/_ms$/, 'ms'],
  [/_seconds$/, 's'],
  [/_percent$/, 'percent'],
  [/ratio$|^times_as_long$/, 'ratio'],
  [/(^|_)share(_of_time)?$|^(part|peers_median)$/, 'fraction'],
  [/^(at|asked_at|down|up|since|setup_known_since)$/, 'time'],
  [/^(commands|fix)$/, 'command'],
  [/^(bound|channel|paths?|reasons|stage)$/, 'word'],
];
const FIGURES: Readonly<Record<string, (value: number) => string>> = {
  B: size,
  'B/s': rate,
  fraction: share,
  ms: (value) => `${milliseconds(value)} ms`,
  percent: (value) => percent(value, 1),
  ratio: (value) => `${number(value, 2)} ×`,
  s: duration,
  time: (value) => localTime(1000 * value),
};

/** The evidence; what is not there is left out. */
export function evidenceOf(evidence: Readonly<Record<string, unknown>>): readonly Fact[] {
  return Object.entries(evidence)
    .filter(([, value]) => value !== null && value !== undefined && value !== false)
    .filter(([, value]) => !(Array.isArray(value) && value.length === 0))
    .map(([key, value]) => ({ name: words(key), value: shown(key, value) }));
}

export function osdsOf(osds: readonly number[]): Shown {
  const more = osds.length - LISTED;
  return { as: 'osds', osds: osds.slice(0, LISTED), more: more > 0 ? `… + ${more}` : '' };
}

function words(key: string): string {
  return key.replace(SUFFIX, '').replaceAll('_', ' ');
}

function unitOf(key: string): string {
  return UNITS.find(([part]) => part.test(key))?.[1] ?? '';
}

function shown(key: string, value: unknown): Shown {
  if (key === 'osd' && typeof value === 'number') return osdsOf([value]);
  if (key === 'osds' && isNumbers(value)) return osdsOf(value);
  if (Array.isArray(value)) return listed(key, value);
  if (isObject(value)) return { as: 'facts', facts: evidenceOf(value) };
  const unit = unitOf(key);
  return { as: unit === 'command' ? 'command' : 'text', text: text(value, unit) };
}

function listed(key: string, values: readonly unknown[]): Shown {
  if (values.every(isObject)) {
    const keys = [...new Set(values.flatMap((one) => Object.keys(one)))];
    return {
      as: 'table',
      heads: keys.map((name) => words(name)),
      rows: values.map((one) => keys.map((name) => shown(name, one[name]))),
    };
  }
  const list = values.map((one) => shown(key, one));
  const texts = list.map((one) => (one.as === 'text' ? one.text : null));
  return texts.every((one) => one !== null && one.length <= LONG)
    ? { as: 'text', text: texts.join(', ') }
    : { as: 'list', list };
}

/** A kind of operation, one of few words, or several of them. */
function word(value: string): string {
  return value.split(' ').map(channelText).join(' ');
}

function text(value: unknown, unit: string): string {
  if (value === null || value === undefined) return NOTHING;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return unit === 'word' ? word(value) : value;
  if (typeof value !== 'number') return JSON.stringify(value);
  return FIGURES[unit]?.(value) ?? `${short(value, 4)} ${unit}`.trim();
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'number');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
