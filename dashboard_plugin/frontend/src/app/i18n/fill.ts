import {
  duration,
  formatLocale,
  localTime,
  milliseconds,
  number,
  pluralForm,
  short,
  signed,
  size,
} from '../core/format';
import { Said } from '../../generated/types';

/** A value in a sentence; a sentence of the module may hold others. */
export type Value = string | number | Said | null;
export type Values = Readonly<Record<string, Value | readonly Value[]>>;

const PLACE = /\{(\w+)(?:([:|#])([^}]+))?\}/g;
/** Names in a list; the rest is counted, as the module does. */
const NAMED = 4;

/** How sentences in a sentence are said, and what stands for the names that a list leaves out. */
export interface Speaker {
  readonly say: (said: Said) => string;
  readonly more: (count: number) => string;
  readonly channel: (name: string) => string;
  readonly state: (word: string) => string;
}

const PLAIN: Speaker = {
  say: (said) => said.text,
  more: (count) => `+${count}`,
  channel: (name) => name,
  state: (word) => word,
};

/**
 * The text with its {names} filled in; a name without a value stays as it is. Numbers are written as
 * the language does. What is counted follows its number: "{count|OSD|OSDs}" becomes "1 OSD" or
 * "3 OSDs", "{osds#is|are}" the form alone. The forms are in the order of the language's plural
 * categories as `Intl.PluralRules` has them (English and German: one, other; Polish: one, few, many,
 * other); the last stands for the rest. "{size:gib}" and the like: the module's model/said.py has all,
 * and "{status:state}" is the word of a state in the tab's language.
 */
export function fill(text: string, values: Values, speaker = PLAIN): string {
  return text.replaceAll(PLACE, (whole, name: string, sign?: string, how?: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    if (sign === ':') return formatted(value, how ?? '', speaker);
    const written = one(value, speaker);
    if (how === undefined) return written;
    const form = pluralForm(how.split('|'), isList(value) ? value.length : countOf(value));
    return sign === '#' ? form : `${written} ${form}`;
  });
}

function isList(value: Value | readonly Value[]): value is readonly Value[] {
  return Array.isArray(value);
}

function countOf(value: Value): number | string {
  return typeof value === 'number' || typeof value === 'string' ? value : 0;
}

function one(value: Value | readonly Value[], speaker: Speaker): string {
  if (isList(value)) return value.map((each) => one(each, speaker)).join(', ');
  if (typeof value === 'number') return short(value);
  if (value === null) return '';
  return typeof value === 'string' ? value : speaker.say(value);
}

function formatted(value: Value | readonly Value[], how: string, speaker: Speaker): string {
  if (isList(value)) {
    if (how === 'clauses') return value.map((each) => one(each, speaker)).join('; ');
    if (how === 'all') return one(value, speaker);
    const sorted = how === 'osds' ? [...value].sort((a, b) => Number(a) - Number(b)) : value;
    return listed(
      sorted.map((each) => (how === 'osds' ? `osd.${one(each, speaker)}` : one(each, speaker))),
      speaker,
    );
  }
  if (how === 'state') return speaker.state(one(value, speaker));
  if (how === 'channel') return speaker.channel(one(value, speaker));
  return typeof value === 'number' ? figure(value, how) : one(value, speaker);
}

function listed(names: readonly string[], speaker: Speaker): string {
  const more = names.length - NAMED;
  const shown = more > 0 ? [...names.slice(0, NAMED), speaker.more(more)] : names;
  return new Intl.ListFormat(formatLocale(), { type: 'conjunction' }).format(shown);
}

function figure(value: number, how: string): string {
  if (how === 'span') return duration(value, false);
  if (how === 'time') return localTime(1000 * value);
  if (how === 'times') return number(value, value < 2 ? 2 : Number(value < 20));
  if (how === 'ms') return `${milliseconds(1000 * value)} ms`;
  if (how === 'gib' || how === 'mib') return size(value);
  return digited(value, how);
}

/** With the digits of ".1f", "+.1f" or ".3g". */
function digited(value: number, how: string): string {
  const digits = Number(how.replace('+', '').slice(1, -1));
  if (how.startsWith('+')) return signed(value, digits);
  return how.endsWith('g') ? short(value, digits) : number(value, digits);
}
