/** Numbers and times as people read them: the same units and digits as the CLI's tables. */

export const NOTHING = '–';
const MIB = 2 ** 20;
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

type Figure = number | null | undefined;

/** A figure with about four significant digits. */
export function number(value: Figure, digits = 1): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NOTHING;
  return Math.abs(value) >= 1000 ? value.toFixed(0) : value.toFixed(digits);
}

/** MiB/s without the unit, which stands in the table's head. */
export function mib(bytesPerSecond: Figure): string {
  return number(inMib(bytesPerSecond));
}

export function inMib(bytesPerSecond: Figure): number | null {
  return bytesPerSecond === null || bytesPerSecond === undefined ? null : bytesPerSecond / MIB;
}

export function rate(bytesPerSecond: Figure): string {
  const text = mib(bytesPerSecond);
  return text === NOTHING ? text : `${text} MiB/s`;
}

export function percent(value: Figure, digits = 0): string {
  const text = number(value, digits);
  return text === NOTHING ? text : `${text} %`;
}

/** A change in percent with its sign: "+3.2 %", "−10.1 %". */
export function change(value: Figure): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NOTHING;
  const rounded = Number(value.toFixed(1));
  const sign = rounded > 0 ? '+' : rounded < 0 ? '−' : '±';
  return `${sign}${Math.abs(rounded).toFixed(1)} %`;
}

/** How likely chance alone is: "0.2", "0.0004", "< 0.0001". */
export function chance(p: Figure): string {
  if (p === null || p === undefined) return NOTHING;
  return p < 0.0001 ? '< 0.0001' : String(Number(p.toPrecision(2)));
}

/** Milliseconds with three significant digits, without the unit: "0.412", "14.0", "1234". */
export function milliseconds(value: Figure): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NOTHING;
  return Math.abs(value) >= 1000 ? value.toFixed(0) : value.toPrecision(3);
}

/** Seconds in milliseconds, without the unit. */
export function inMs(seconds: Figure): string {
  return milliseconds(seconds === null || seconds === undefined ? null : 1000 * seconds);
}

/** Bytes with a binary unit: "4 MiB", "3.5 GiB". */
export function size(bytes: Figure): string {
  if (bytes === null || bytes === undefined) return NOTHING;
  let [value, unit] = [bytes, 0];
  while (Math.abs(value) >= 1024 && unit < UNITS.length - 1)
    [value, unit] = [value / 1024, unit + 1];
  return `${Number.isInteger(value) ? value : value.toFixed(1)} ${UNITS[unit] ?? ''}`;
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

/** Seconds as "14 s", "3 min 20 s" or "2 h 05 min". */
export function duration(seconds: Figure): string {
  if (seconds === null || seconds === undefined) return NOTHING;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 100) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 100) return `${minutes} min ${two(whole % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

/** Local time with its zone: "2026-11-21 03:04:05 CET". */
export function localTime(iso: string | null | undefined, locale = 'en'): string {
  const time = parsed(iso);
  if (!time) return NOTHING;
  const zone = zones(locale)
    .formatToParts(time)
    .find((part) => part.type === 'timeZoneName');
  return `${stamp(time)} ${zone?.value ?? ''}`.trim();
}

/** Making one takes longer than all else about a time, and a table has many times. */
const made = new Map<string, Intl.DateTimeFormat>();

function zones(locale: string): Intl.DateTimeFormat {
  const found = made.get(locale) ?? new Intl.DateTimeFormat(locale, { timeZoneName: 'short' });
  made.set(locale, found);
  return found;
}

/** "2026-11-21 02:04:05" in UTC. */
export function utcTime(iso: string | null | undefined): string {
  return parsed(iso)?.toISOString().slice(0, 19).replace('T', ' ') ?? NOTHING;
}

function parsed(iso: string | null | undefined): Date | null {
  const time = iso ? new Date(iso) : null;
  return time && !Number.isNaN(time.getTime()) ? time : null;
}

/** Local date and time without zone. */
export function stamp(time: Date): string {
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  return `${date} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
