import { StartRequest } from '../core/api';
import { parseSize } from '../core/format';
import { Key } from '../i18n/en';

/** What stands in the start dialog's fields, as typed. */
export interface StartFields {
  readonly profile: string;
  readonly osds: string;
  readonly repeats: string;
  readonly max_repeats: string;
  readonly size: string;
  readonly label: string;
  readonly force: boolean;
}

export const EMPTY: StartFields = {
  profile: '',
  osds: 'all',
  repeats: '',
  max_repeats: '',
  size: '',
  label: '',
  force: false,
};

export type FieldErrors = Readonly<Partial<Record<keyof StartFields, Key>>>;

/** What can be seen to be wrong without asking; the back end knows the rest. */
export function check(fields: StartFields): FieldErrors {
  const size = fields.size.trim();
  return {
    ...(isCount(fields.repeats) ? {} : { repeats: 'start.repeats.bad' }),
    ...(isCount(fields.max_repeats) ? {} : { max_repeats: 'start.repeats.bad' }),
    ...(size && parseSize(size) === null ? { size: 'start.size.bad' } : {}),
  };
}

/** A whole number from 1 on, or nothing. */
function isCount(text: string): boolean {
  return /^([1-9]\d{0,5})?$/.test(text.trim());
}

/** The fields as a request; empty ones are left to the profile. */
export function request(fields: StartFields): StartRequest {
  const size = parseSize(fields.size);
  return {
    profile: fields.profile,
    osds: fields.osds.trim() || 'all',
    ...(fields.repeats.trim() ? { repeats: Number(fields.repeats) } : {}),
    ...(fields.max_repeats.trim() ? { max_repeats: Number(fields.max_repeats) } : {}),
    ...(size === null ? {} : { size }),
    ...(fields.label.trim() ? { label: fields.label.trim() } : {}),
    ...(fields.force ? { force: true } : {}),
  };
}
