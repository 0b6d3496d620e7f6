import { StartRequest } from '../core/api';
import { parseSize } from '../core/format';
import { Key } from '../i18n/en';

/** What stands in the start dialog's fields, as typed. */
export interface StartFields {
  readonly profile: string;
  readonly osds: string;
  readonly repeats: string;
  readonly max_repeats: string;
  readonly rest: string;
  readonly rests: string;
  readonly solo: string;
  readonly size: string;
  readonly label: string;
  readonly force: boolean;
}

export const EMPTY: StartFields = {
  profile: '',
  osds: '',
  repeats: '',
  max_repeats: '',
  rest: '',
  rests: '',
  solo: '',
  size: '',
  label: '',
  force: false,
};

export type TextField = Exclude<keyof StartFields, 'profile' | 'force'>;

const COMMON: readonly TextField[] = ['osds', 'repeats', 'max_repeats', 'size', 'label'];
/** Of profiles with parts: what of the above means nothing to them is not asked for. */
const OWN: Readonly<Record<string, readonly TextField[]>> = {
  'osd-sandwich': ['osds', 'solo', 'repeats', 'rests', 'rest', 'label'],
  'osd-wal': ['osds', 'repeats', 'label'],
};

/** The fields to type in for rounds of a profile, in their order. */
export function fieldsOf(profile: string): readonly TextField[] {
  return OWN[profile] ?? COMMON;
}

export type FieldErrors = Readonly<Partial<Record<keyof StartFields, Key>>>;

/** What can be seen to be wrong without asking; the back end knows the rest. */
export function check(fields: StartFields): FieldErrors {
  const size = fields.size.trim();
  return {
    ...(/^\d{0,3}$/.test(fields.rests.trim()) ? {} : { rests: 'start.rests.bad' }),
    ...(isCount(fields.repeats) ? {} : { repeats: 'start.repeats.bad' }),
    ...(isCount(fields.max_repeats) ? {} : { max_repeats: 'start.repeats.bad' }),
    ...(size && parseSize(size) === null ? { size: 'start.size.bad' } : {}),
  };
}

/** A whole number from 1 on, or nothing. */
function isCount(text: string): boolean {
  return /^([1-9]\d{0,5})?$/.test(text.trim());
}

/** The fields as a request; empty ones are left to the back end. */
export function request(fields: StartFields): StartRequest {
  const asked = fieldsOf(fields.profile);
  const text = (name: TextField): string => (asked.includes(name) ? fields[name].trim() : '');
  const size = parseSize(text('size'));
  return {
    profile: fields.profile,
    ...texts(['osds', 'rest', 'solo', 'label'], text),
    ...counts(['repeats', 'max_repeats', 'rests'], text),
    ...(size === null ? {} : { size }),
    ...(fields.force ? { force: true } : {}),
  };
}

type Texts = (name: TextField) => string;

function texts(names: readonly TextField[], text: Texts): object {
  return Object.fromEntries(names.filter(text).map((name) => [name, text(name)]));
}

function counts(names: readonly TextField[], text: Texts): object {
  return Object.fromEntries(names.filter(text).map((name) => [name, Number(text(name))]));
}
