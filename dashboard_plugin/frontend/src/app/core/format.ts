import { signal } from '@angular/core';

/**
 * Numbers and times as people read them, in the dashboard's locale: the only place that formats them,
 * for pages and charts alike. Units and digits are those of the CLI's tables.
 */

/** The dashboard's locale, where the browser knows it; the frame sets it. */
export const formatLocale = signal('en');

export const NOTHING = '–';
const [MIB, GIB] = [2 ** 20, 2 ** 30];
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

type Figure = number | null | undefined;

/** Making a formatter takes longer than all else about a figure, and a table has many figures. */
const made = new Map<string, unknown>();

function once<T>(key: string, make: (locale: string) => T): T {
  const name = `${formatLocale()} ${key}`;
  const found = (made.get(name) as T | undefined) ?? make(formatLocale());
  made.set(name, found);
  return found;
}

/** As "de-DE", where the browser understands it, else English. */
export function knownLocale(locale: string): string {
  try {
    return Intl.getCanonicalLocales(locale.replace('_', '-'))[0] ?? 'en';
  } catch {
    return 'en';
  }
}

/** Digits after the point. No grouping: "1.234" would be two numbers in two languages. */
function fixed(value: number, digits: number): string {
  // "-0.0" is no figure that anybody expects.
  const shown = Number(value.toFixed(digits)) === 0 ? 0 : value;
  return once(
    `fixed ${digits}`,
    (locale) =>
      new Intl.NumberFormat(locale, {
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
        useGrouping: false,
      }),
  ).format(shown);
}

/** At most so many significant digits, and at least `least`. */
function significant(value: number, digits: number, least = 1): string {
  return once(
    `significant ${digits} ${least}`,
    (locale) =>
      new Intl.NumberFormat(locale, {
        minimumSignificantDigits: least,
        maximumSignificantDigits: digits,
        useGrouping: false,
      }),
  ).format(value);
}

function isFigure(value: Figure): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** A figure with about four significant digits. */
export function number(value: Figure, digits = 1): string {
  if (!isFigure(value)) return NOTHING;
  return fixed(value, Math.abs(value) >= 1000 ? 0 : digits);
}

/** A figure without digits after the point. */
export function whole(value: Figure): string {
  return number(value, 0);
}

/** A figure with the digits that it has, but no more than those that division leaves. */
export function short(value: number, digits = 6): string {
  return Number.isInteger(value) ? fixed(value, 0) : significant(value, digits);
}

/** With its sign: "+3.2", "−10.1", "±0.0". */
export function signed(value: number, digits = 1): string {
  const size = number(Math.abs(value), digits);
  if (Number(value.toFixed(digits)) === 0) return `±${size}`;
  return `${value > 0 ? '+' : '−'}${size}`;
}

/** MiB/s without the unit, which stands in the table's head. */
export function mib(bytesPerSecond: Figure): string {
  return number(inMib(bytesPerSecond));
}

export function inMib(bytesPerSecond: Figure): number | null {
  return isFigure(bytesPerSecond) ? bytesPerSecond / MIB : null;
}

/** GiB/s without the unit. */
export function gib(bytesPerSecond: Figure): string {
  return number(isFigure(bytesPerSecond) ? bytesPerSecond / GIB : null, 2);
}

export function rate(bytesPerSecond: Figure): string {
  const text = mib(bytesPerSecond);
  return text === NOTHING ? text : `${text} MiB/s`;
}

export function percent(value: Figure, digits = 0): string {
  const text = number(value, digits);
  return text === NOTHING ? text : `${text} %`;
}

/** A share from 0 to 1 in percent. */
export function share(value: Figure, digits = 1): string {
  return percent(isFigure(value) ? 100 * value : null, digits);
}

/** A change in percent with its sign: "+3.2 %", "−10.1 %". */
export function change(value: Figure): string {
  return isFigure(value) ? `${signed(value)} %` : NOTHING;
}

/** How likely chance alone is: "0.2", "0.0004", "< 0.0001". */
export function chance(p: Figure): string {
  if (!isFigure(p)) return NOTHING;
  return p < 0.0001 ? `< ${significant(0.0001, 1)}` : significant(p, 2);
}

/** Milliseconds with three significant digits, without the unit: "0.412", "14.0", "1234". */
export function milliseconds(value: Figure): string {
  if (!isFigure(value)) return NOTHING;
  return Math.abs(value) >= 1000 ? fixed(value, 0) : significant(value, 3, 3);
}

/** Seconds in milliseconds, without the unit. */
export function inMs(seconds: Figure): string {
  return milliseconds(isFigure(seconds) ? 1000 * seconds : null);
}

/** Bytes with a binary unit: "4 MiB", "3.5 GiB". */
export function size(bytes: Figure): string {
  if (!isFigure(bytes)) return NOTHING;
  let [value, unit] = [bytes, 0];
  while (Math.abs(value) >= 1024 && unit < UNITS.length - 1)
    [value, unit] = [value / 1024, unit + 1];
  return `${fixed(value, Number.isInteger(value) ? 0 : 1)} ${UNITS[unit] ?? ''}`;
}

const SIZE = /^(\d+(?:[.,]\d+)?)\s*([kmgt]?)i?b?$/i;

/** "512 MiB" as bytes; null when it is no size. Units are binary, as Ceph's are. */
export function parseSize(text: string): number | null {
  const [, digits, prefix] = SIZE.exec(text.trim()) ?? [];
  if (digits === undefined || prefix === undefined) return null;
  const power = ['', 'k', 'm', 'g', 't'].indexOf(prefix.toLowerCase());
  const bytes = Math.round(Number(digits.replace(',', '.')) * 1024 ** power);
  return bytes > 0 && Number.isSafeInteger(bytes) ? bytes : null;
}

/**
 * Seconds as "14 s", "3 min 20 s", "2 h 05 min" or "5 d 3 h"; in sentences without a rest of zero:
 * "3 min".
 */
export function duration(seconds: Figure, zeros = true): string {
  if (!isFigure(seconds)) return NOTHING;
  if (seconds < 10) return `${zeros ? fixed(seconds, 1) : short(seconds, 2)} s`;
  const whole = Math.round(seconds);
  if (whole < 100) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  const rest = (left: number, unit: string): string =>
    left || zeros ? ` ${two(left)} ${unit}` : '';
  if (minutes < 100) return `${minutes} min${rest(whole % 60, 's')}`;
  const hours = Math.floor(minutes / 60);
  if (hours < 100) return `${hours} h${rest(minutes % 60, 'min')}`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Seconds in their largest unit: "40 s", "6 min", "6 h", "3 d". */
export function roughDuration(seconds: Figure): string {
  if (!isFigure(seconds)) return NOTHING;
  const units = [
    ['d', 86_400],
    ['h', 3600],
    ['min', 60],
  ] as const;
  // From two of a unit on: 90 minutes say more than an hour.
  const [unit, length] = units.find(([, each]) => seconds >= 2 * each) ?? ['s', 1];
  return `${fixed(Math.floor(seconds / length), 0)} ${unit}`;
}

/** The noun for a number, as a number or as it is written: of one and several the one that fits. */
export function pluralForm(
  [one = '', several = one]: readonly string[],
  count: string | number,
): string {
  return Number.parseFloat(String(count).replace(',', '.')) === 1 ? one : several;
}

/** A moment, as ISO 8601 or as unix milliseconds. */
type Moment = string | number | null | undefined;

const DAY = { year: 'numeric', month: 'short', day: 'numeric' } as const;
const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const SECONDS = { ...CLOCK, second: '2-digit' } as const;

function moment(at: Moment, options: Intl.DateTimeFormatOptions): string {
  const time = parsed(at);
  if (!time) return NOTHING;
  const key = JSON.stringify(options);
  return once(key, (locale) => new Intl.DateTimeFormat(locale, options)).format(time);
}

/** Local time with its zone: "Nov 21, 2026, 03:04:05 GMT+1". */
export function localTime(at: Moment): string {
  return moment(at, { ...DAY, ...SECONDS, timeZoneName: 'short' });
}

/** Local date and time without zone. */
export function stamp(at: Moment): string {
  return moment(at, { ...DAY, ...SECONDS });
}

/** A tick of a time axis: as much as its neighbours do not share with it. */
export function tick(at: number): string {
  const time = new Date(at);
  if (time.getSeconds()) return moment(at, SECONDS);
  if (time.getHours() || time.getMinutes()) return moment(at, CLOCK);
  if (time.getDate() > 1) return moment(at, { month: 'short', day: 'numeric' });
  return moment(at, time.getMonth() ? { month: 'short' } : { year: 'numeric' });
}

/** "2026-11-21 02:04:05" in UTC, as logs and the CLI write it in every language. */
export function utcTime(at: Moment): string {
  return parsed(at)?.toISOString().slice(0, 19).replace('T', ' ') ?? NOTHING;
}

function parsed(at: Moment): Date | null {
  if (at === null || at === undefined || at === '') return null;
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? null : time;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** Names as people count: host-2 before host-10. */
export function byName(a: string, b: string): number {
  const options = { numeric: true, sensitivity: 'base' } as const;
  return once('names', (locale) => new Intl.Collator(locale, options)).compare(a, b);
}

/** The first names and how many more: "osd.1, osd.2, osd.5, osd.7 and 3 more", as the module lists them. */
export function osdNames(osds: readonly number[]): string {
  const names = [...osds].sort((a, b) => a - b).map((osd) => `osd.${osd}`);
  const parts = names.length > 4 ? [...names.slice(0, 4), `${names.length - 4} more`] : names;
  return parts.length < 2
    ? parts.join('')
    : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;
}
