import { pluralForm, short } from '../core/format';

/** A value in a sentence; a list is joined by commas. */
type Value = string | number | null;
export type Values = Readonly<Record<string, Value | readonly Value[]>>;

const PLACE = /\{(\w+)(?:([|#])([^}]+))?\}/g;

/**
 * The text with its {names} filled in, numbers as the host's locale writes them; a name without a
 * value stays as it is. What is counted follows its number: "{count|OSD|OSDs}" becomes "1 OSD" or
 * "3 OSDs", "{count#is|are}" the form alone.
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
