import { pluralForm, short } from '../core/format';
import { Key, en } from './en';

/** A value in a sentence; a list is joined by commas. */
type Value = string | number | null;
export type Values = Readonly<Record<string, Value | readonly Value[]>>;
export type Translate = typeof t;

const PLACE = /\{(\w+)(?:([|#])([^}]+))?\}/g;

/** The sentence of `key`. Its numbers are written as the host's locale does. */
export function t(key: Key, values: Values = {}): string {
  return fill(en[key], values);
}

/** For a component: `readonly t = translator();` */
export function translator(): Translate {
  return t;
}

/**
 * The text with its {names} filled in; a name without a value stays as it is. What is counted
 * follows its number: "{count|OSD|OSDs}" becomes "1 OSD" or "3 OSDs", "{count#is|are}" the form alone.
 */
export function fill(text: string, values: Values): string {
  return text.replaceAll(PLACE, (whole, name: string, sign?: string, forms?: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    const written = [value].flat().map(one).join(', ');
    if (forms === undefined) return written;
    const form = pluralForm(forms.split('|'), Array.isArray(value) ? value.length : written);
    return sign === '#' ? form : `${written} ${form}`;
  });
}

function one(value: Value): string {
  return typeof value === 'number' ? short(value) : (value ?? '');
}
