/** The fake back end's sentences, of its own templates. */
import { readFileSync } from 'node:fs';

const file = new URL('./sentences.json', import.meta.url);
const TEMPLATES = /** @type {Readonly<Record<string, string>>} */ (
  JSON.parse(readFileSync(file, 'utf8'))
);
const PLACE = /\{(\w+)(?:([:|#])([^}]*))?\}/g;
/** Names in a list; the rest is counted. */
const NAMED = 4;

/**
 * A sentence of the module with its values.
 * @param {string} code @param {Readonly<Record<string, unknown>>} [values]
 */
export function say(code, values = {}) {
  const template = TEMPLATES[code] ?? '';
  return template.replaceAll(PLACE, (_, name, sign, how) => filled(values[name], sign, how));
}

/** @param {unknown} value @param {string | undefined} sign @param {string} how @returns {string} */
function filled(value, sign, how) {
  if (sign === undefined) return plain(value);
  if (sign === ':') return formatted(value, how);
  const [one, several] = how.split('|');
  const form = (Array.isArray(value) ? value.length : value) === 1 ? one : several;
  return sign === '#' ? (form ?? '') : `${plain(value)} ${form}`;
}

/** @param {unknown} value @returns {string} */
function plain(value) {
  return String(value);
}

/** @param {unknown} value @param {string} how @returns {string} */
function formatted(value, how) {
  if (Array.isArray(value)) return joined(value.map(plain), how);
  if (how === 'time')
    return `${new Date(1000 * Number(value)).toISOString().slice(0, 16)} UTC`.replace('T', ' ');
  if (how === 'times')
    return Number(value).toFixed(Number(value) < 2 ? 2 : Number(Number(value) < 20));
  if (how === 'ms') return `${Number((1000 * Number(value)).toPrecision(2))} ms`;
  if (how === 'span') return span(Number(value));
  if (how === 'gib') return `${(Number(value) / 2 ** 30).toFixed(1)} GiB`;
  const digits = /^(\+?)\.(\d)([fg])$/.exec(how);
  if (digits === null) return plain(value);
  const count = Number(digits[2]);
  const sign = digits[1] && Number(value) > 0 ? '+' : '';
  return digits[3] === 'f'
    ? sign + Number(value).toFixed(count)
    : String(Number(Number(value).toPrecision(count)));
}

/** @param {number} seconds */
function span(seconds) {
  if (seconds < 60) return `${Number(seconds.toPrecision(3))} s`;
  const minutes = Math.round(seconds / 60);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (!hours) return `${minutes} min`;
  return rest ? `${hours} h ${String(rest).padStart(2, '0')} min` : `${hours} h`;
}

/** @param {readonly string[]} names @param {string} how */
function joined(names, how) {
  if (how === 'all') return names.join(', ');
  if (how === 'clauses') return names.join('; ');
  const shown = how === 'osds' ? names.map((name) => `osd.${name}`) : names;
  const more = shown.length - NAMED;
  const parts = more > 0 ? [...shown.slice(0, NAMED), `${more} more`] : shown;
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
