import { StartRequest } from '../core/api';
import { parseSize, size } from '../core/format';

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
  readonly pool: string;
  readonly clients: string;
  readonly threads: string;
  readonly seconds: string;
  readonly foreign_pool: boolean;
  /** Names with commas. */
  readonly workers: string;
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
  pool: '',
  clients: '',
  threads: '',
  seconds: '',
  foreign_pool: false,
  workers: '',
  label: '',
  force: false,
};

export type TextField = Exclude<keyof StartFields, 'profile' | 'force' | 'foreign_pool'>;

/** What stands beside each field; a search is told the most. */
export const FIELDS: Readonly<
  Record<TextField, { readonly label: string; readonly help: string; readonly most?: string }>
> = {
  pool: {
    label: 'Pool',
    help: 'empty: perf_bench, which is created if it does not exist',
  },
  clients: {
    label: 'Clients',
    help: 'rados bench processes at the same time; empty: see the plan',
    most: 'most clients at the same time; empty: see the plan',
  },
  threads: {
    label: 'Operations in flight',
    help: 'of each client; empty: see the plan',
    most: 'the most of each client; empty: see the plan',
  },
  seconds: {
    label: 'Seconds',
    help: 'of each run; empty: see the plan',
  },
  workers: {
    label: 'Workers',
    help: 'none chosen: clients run on the host of the active manager',
  },
  osds: {
    label: 'OSDs',
    help: 'empty: all · 0,3,7-9 · class=hdd · host=NAME · rack=NAME, joined by &',
  },
  repeats: {
    label: 'Repeats',
    help: 'empty: {repeats}, as the profile says',
  },
  size: {
    label: 'Block size of a write',
    help: 'such as 64 KiB; empty: {size}, as the profile says',
  },
  label: {
    label: 'Label',
    help: 'a name to find the round by',
  },
  max_repeats: {
    label: 'Most repeats',
    help: 'repeats until the figures are precise enough; empty: {most}, or the repeats above',
  },
  rest: {
    label: 'Length of a rest',
    help: 'such as 20m or 90s; empty: see the plan',
  },
  rests: {
    label: 'Rests',
    help: 'empty: see the plan',
  },
  solo: {
    label: 'Alone',
    help: 'OSDs that are also measured alone; empty: one of each host',
  },
};

const COMMON: readonly TextField[] = ['osds', 'repeats', 'max_repeats', 'size', 'label'];
const LOAD: readonly TextField[] = ['workers', 'pool', 'clients', 'threads', 'seconds', 'size'];
/** Of profiles with parts: what of the above means nothing to them is not asked for. */
const OWN: Readonly<Record<string, readonly TextField[]>> = {
  'osd-sandwich': ['osds', 'solo', 'repeats', 'rests', 'rest', 'label'],
  'osd-wal': ['osds', 'repeats', 'label'],
  'rados-saturate': [...LOAD, 'label'],
  'rados-saturate-rand': [...LOAD, 'label'],
};

/** The fields to type in for rounds of a profile, in their order. */
export function fieldsOf(profile: string): readonly TextField[] {
  return OWN[profile] ?? (ofClients(profile) ? [...LOAD, 'repeats', 'label'] : COMMON);
}

/** Whether a profile looks for the load that a cluster takes. */
export function searches(profile: string): boolean {
  return profile.startsWith('rados-saturate');
}

/** Whether a profile's rounds are of clients (kind rados) and not of OSDs. */
export function ofClients(profile: string): boolean {
  return profile.startsWith('rados-');
}

const COUNTS = ['clients', 'threads', 'seconds'] as const;

export type FieldErrors = Readonly<Partial<Record<keyof StartFields, string>>>;

/**
 * What can be seen to be wrong without asking; the back end knows the rest. A field that the profile
 * has not is not sent, and does not show: what stands there still is not wrong.
 */
export function check(fields: StartFields): FieldErrors {
  const shown: readonly string[] = fieldsOf(fields.profile);
  const wrong = Object.entries(wrongOf(fields)).filter(([name]) => shown.includes(name));
  return Object.fromEntries(wrong);
}

function wrongOf(fields: StartFields): FieldErrors {
  const block = fields.size.trim();
  return {
    ...(/^\d{0,3}$/.test(fields.rests.trim()) ? {} : { rests: 'Enter a whole number of rests.' }),
    ...(isCount(fields.repeats) ? {} : { repeats: 'Enter a whole number of repeats from 1.' }),
    ...(isCount(fields.max_repeats)
      ? {}
      : { max_repeats: 'Enter a whole number of repeats from 1.' }),
    ...Object.fromEntries(
      COUNTS.filter((name) => !isCount(fields[name])).map((name) => [
        name,
        'Enter a whole number from 1.',
      ]),
    ),
    ...(block && parseSize(block) === null
      ? { size: 'A size is a number with B, KiB or MiB, such as 64 KiB.' }
      : {}),
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
  const block = parseSize(text('size'));
  return {
    profile: fields.profile,
    ...texts(['osds', 'rest', 'solo', 'workers', 'pool', 'label'], text),
    ...counts(['repeats', 'max_repeats', 'rests', ...COUNTS], text),
    ...(block === null ? {} : { size: block }),
    ...(fields.foreign_pool && text('pool') ? { foreign_pool: true } : {}),
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

/** The fields without those that are wrong: what the back end thinks of the others. */
export function withoutWrong(fields: StartFields): StartFields {
  const wrong = Object.keys(check(fields)).map((name) => [name, '']);
  return { ...fields, ...(Object.fromEntries(wrong) as Partial<StartFields>) };
}

/** What profiles answer: by the beginning of their names, in the order of the choice. */
const QUESTIONS: readonly (readonly [question: string, names: RegExp])[] = [
  ['Are all disks equally fast?', /^osd-(?!sandwich|wal)/],
  ['Do OSDs slow each other down?', /^osd-sandwich/],
  ['How fast is what holds the WAL?', /^osd-wal/],
  ['What can clients take out of it?', /^rados-/],
];

/** The profiles by the question that they answer; those of no known question come last. */
export function byQuestion<T extends { readonly name: string }>(
  profiles: readonly T[],
): readonly { readonly question: string; readonly profiles: readonly T[] }[] {
  const of = ({ name }: T): string =>
    QUESTIONS.find(([, names]) => names.test(name))?.[0] ?? 'Other';
  return [...QUESTIONS.map(([question]) => question), 'Other']
    .map((question) => ({ question, profiles: profiles.filter((one) => of(one) === question) }))
    .filter((group) => group.profiles.length > 0);
}

/** A refusal of the module in the words of the form: labels instead of flags, sizes with a unit. */
export function inWords(message: string, label: (name: string) => string): string {
  return message
    .replaceAll(/--([a-z][a-z-]*)/g, (_, flag: string) => `“${label(flag.replaceAll('-', '_'))}”`)
    .replaceAll(/\b(\d+) bytes\b/g, (_, bytes: string) => size(Number(bytes)));
}
