import { duration, localTime, milliseconds, number, size } from '../core/format';

/** One figure of the evidence: its name in words, and its value as text or as OSDs to look at. */
export interface Fact {
  readonly name: string;
  readonly text: string;
  readonly osds: readonly number[];
}

/** More OSDs than this are counted, not listed. */
export const LISTED = 24;
const SHARES = /^(share|part)(_|$)/;
const UNITS = /_(ms|seconds|bytes)$/;

/** The evidence as facts, in its own order; what has no value, or is not so, is left out. */
export function factsOf(evidence: Readonly<Record<string, unknown>>): readonly Fact[] {
  return Object.entries(evidence)
    .filter(([, value]) => value !== null && value !== false)
    .filter(([, value]) => !(Array.isArray(value) && value.length === 0))
    .map(([key, value]) => {
      const osds = key === 'osds' && isNumbers(value) ? value : [];
      if (osds.length === 0) return { name: words(key), text: text(key, value), osds };
      const more = osds.length - LISTED;
      return { name: key, text: more > 0 ? `… + ${more}` : '', osds: osds.slice(0, LISTED) };
    });
}

/** The unit stands beside the figure, and not in its name. */
function words(key: string): string {
  return key.replace(UNITS, '').replaceAll('_', ' ');
}

function text(key: string, value: unknown): string {
  if (typeof value === 'number') return figure(key, value);
  if (typeof value === 'string') return value;
  if (value === true) return '✓';
  if (Array.isArray(value)) {
    const parts = value.map((one: unknown) => text(key, one));
    return parts.join(value.some((one) => typeof one === 'object') ? '; ' : ', ');
  }
  if (typeof value === 'object' && value !== null) {
    const parts = Object.entries(value).map(([name, one]) => `${words(name)} ${text(name, one)}`);
    return parts.join(', ');
  }
  return JSON.stringify(value);
}

function figure(key: string, value: number): string {
  if (key === 'since') return localTime(value * 1000);
  if (SHARES.test(key)) return `${number(100 * value, 1)} %`;
  if (key.endsWith('_seconds')) return duration(value);
  if (key.endsWith('_ms')) return `${milliseconds(value)} ms`;
  if (key.endsWith('_bytes')) return size(value);
  return Number.isInteger(value) ? String(value) : number(value, 2);
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'number');
}
