import { readFileSync } from 'node:fs';
import Ajv2020, { ValidateFunction } from 'ajv/dist/2020';
import { Answers, Question } from '../../fake/answers.mjs';
import { world } from './fake-http';

interface Schema {
  readonly 'x-answers': Readonly<Record<string, string>>;
  readonly $defs: Readonly<Record<string, object>>;
}

const text = readFileSync('src/generated/schema.json', 'utf8');
const schema = JSON.parse(text) as Schema;

/** A validator that also refuses keys the schema does not know: the fake invents none. */
function validator(noun: string): ValidateFunction {
  const closed = JSON.parse(text, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    const found = value as { type?: string; properties?: object; additionalProperties?: unknown };
    const open = found.type === 'object' && found.properties && !('additionalProperties' in found);
    return open ? { ...found, additionalProperties: false } : value;
  }) as Schema;
  const ajv = new Ajv2020({ strict: false });
  const list = /^\[(\w+)\]$/.exec(noun)?.[1];
  const one = { $ref: `#/$defs/${list ?? noun}` };
  return ajv.compile({ ...(list ? { type: 'array', items: one } : one), $defs: closed.$defs });
}

const asked: Readonly<Record<string, Omit<Question, 'query'> & { query?: string }>> = {
  'GET status': { method: 'GET', path: 'status' },
  'GET profile': { method: 'GET', path: 'profile' },
  'GET round': { method: 'GET', path: 'round', query: 'limit=12' },
  'GET round/ID': { method: 'GET', path: 'round/5' },
  'GET round/ID/distribution': { method: 'GET', path: 'round/5/distribution' },
  'GET round/ID/file': { method: 'GET', path: 'round/5/file', query: 'as=csv&part=0' },
  'GET quiesce': { method: 'GET', path: 'quiesce' },
  'POST quiesce/restore': { method: 'POST', path: 'quiesce/restore' },
  'GET round/ID/live': { method: 'GET', path: 'round/13/live' },
  'POST round': { method: 'POST', path: 'round', body: { profile: 'osd-iops' } },
  'POST round dry_run': {
    method: 'POST',
    path: 'round',
    body: { profile: 'osd-iops', dry_run: true },
  },
  'POST round/import': {
    method: 'POST',
    path: 'round/import',
    body: { as: 'fio', results: '{}' },
  },
  'POST round/ID/abort': { method: 'POST', path: 'round/13/abort' },
  'GET osd': { method: 'GET', path: 'osd' },
  'GET osd/ID': { method: 'GET', path: 'osd/3' },
  'GET osd/map': { method: 'GET', path: 'osd/map' },
  'GET osd/latency': { method: 'GET', path: 'osd/latency' },
  'GET osd/ID/series': { method: 'GET', path: 'osd/14/series', query: 'since=1d' },
  'GET osd/ID/why': { method: 'GET', path: 'osd/14/why' },
  'GET finding': { method: 'GET', path: 'finding', query: 'everything=true' },
  'GET finding/ID': { method: 'GET', path: 'finding/3' },
  'GET finding/ID/incident': { method: 'GET', path: 'finding/2/incident', query: 'since=1d' },
  'GET cluster/latency': { method: 'GET', path: 'cluster/latency', query: 'since=1d' },
  'GET cluster/strip': { method: 'GET', path: 'cluster/strip' },
  'GET cluster/interval': {
    method: 'GET',
    path: 'cluster/interval',
    query: 'begin=1&end=2',
  },
  'GET host/NAME': { method: 'GET', path: 'host/host-1' },
  'GET finding/kind': { method: 'GET', path: 'finding/kind' },
  'POST finding/ID/mute': { method: 'POST', path: 'finding/2/mute', body: { for: '1d' } },
  'POST finding/ID/ack': { method: 'POST', path: 'finding/2/ack', body: { text: 'ordered' } },
  'GET laggy': { method: 'GET', path: 'laggy' },
  'GET cohort': { method: 'GET', path: 'cohort' },
  'GET coverage': { method: 'GET', path: 'coverage' },
  'GET alert': { method: 'GET', path: 'alert' },
  'GET doctor': { method: 'GET', path: 'doctor' },
  'GET enclosure': { method: 'GET', path: 'enclosure' },
  'GET enclosure/ID': { method: 'GET', path: 'enclosure/0x5000c500a1b2c3d4' },
  'GET multipath': { method: 'GET', path: 'multipath' },
  'GET crc': { method: 'GET', path: 'crc' },
  'GET report': { method: 'GET', path: 'report', query: 'since=30d&as=html' },
  'GET option': { method: 'GET', path: 'option' },
  'GET option/threshold': { method: 'GET', path: 'option/threshold' },
  'POST option/NAME/value': {
    method: 'POST',
    path: 'option/watch/value',
    body: { value: 'false' },
  },
  'GET mclock': { method: 'GET', path: 'mclock' },
  'POST mclock/apply': { method: 'POST', path: 'mclock/apply' },
  'POST mclock/restore': { method: 'POST', path: 'mclock/restore' },
  'GET host': { method: 'GET', path: 'host' },
  'GET worker': { method: 'GET', path: 'worker' },
  'GET round/compare': { method: 'GET', path: 'round/compare', query: 'a=2&b=11' },
  'GET profile/history': {
    method: 'GET',
    path: 'profile/history',
    query: 'profile=osd-throughput',
  },
  'GET baseline': { method: 'GET', path: 'baseline' },
  'POST baseline': { method: 'POST', path: 'baseline', body: { id: 3 } },
  'GET reference': { method: 'GET', path: 'reference' },
  'GET schedule': { method: 'GET', path: 'schedule' },
  'POST schedule': {
    method: 'POST',
    path: 'schedule',
    body: { name: 'new', profile: 'osd-iops', every: '6h' },
  },
  'POST schedule/NAME/pause': { method: 'POST', path: 'schedule/nightly/pause' },
  'POST schedule/NAME/resume': { method: 'POST', path: 'schedule/old-disks/resume' },
};

/** A round of clients that has run for some seconds. */
function startsClients(answers: Answers): void {
  answers.start({ profile: 'rados-write' });
  answers.active!.begun -= 5_000;
}

test.each(Object.entries(schema['x-answers']).filter(([question]) => question !== 'error'))(
  'the fake answers %p as %p',
  (question, noun) => {
    const { answers } = world().http;
    const given = asked[question]!;
    if (given.path.endsWith('abort')) answers.start({ profile: 'osd-iops' });
    if (given.path.endsWith('live')) startsClients(answers);
    if (given.path === 'baseline') answers.comparing.setBaseline(4);
    const { body } = answers.answer({ ...given, query: new URLSearchParams(given.query ?? '') });
    const validate = validator(noun);
    validate(JSON.parse(JSON.stringify(body)));
    expect(validate.errors).toBeNull();
  },
);

test('a running round is a round too, in the list and alone', () => {
  const { answers } = world().http;
  answers.start({ profile: 'osd-iops' });
  for (const [path, noun] of [
    ['status', 'Status'],
    ['round', '[RoundLine]'],
    ['round/13', 'Round'],
  ] as const) {
    const validate = validator(noun);
    const { body } = answers.answer({ method: 'GET', path, query: new URLSearchParams() });
    validate(JSON.parse(JSON.stringify(body)));
    expect(validate.errors).toBeNull();
  }
});

test('a round in parts fits too', () => {
  const { answers } = world({ rounds: 29 }).http;
  const validate = validator('Round');
  const question = { method: 'GET', path: 'round/29', query: new URLSearchParams() };
  const { body } = answers.answer(question);
  expect((body as { phases: unknown[] }).phases).toHaveLength(7);
  validate(JSON.parse(JSON.stringify(body)));
  expect(validate.errors).toBeNull();
});

test.each([
  ['round/27', 27],
  ['round/28', 28],
  ['round/29', 28],
])('a round of clients fits too: %s', (path, rounds) => {
  const { answers } = world({ rounds }).http;
  if (path === 'round/29') startsClients(answers);
  const validate = validator('Round');
  const { body } = answers.answer({ method: 'GET', path, query: new URLSearchParams() });
  expect((body as { load: unknown }).load).not.toBeNull();
  validate(JSON.parse(JSON.stringify(body)));
  expect(validate.errors).toBeNull();
});

test('rounds that do not compare, and a past of nothing, fit too', () => {
  const { answers } = world().http;
  for (const [path, query, noun] of [
    ['round/compare', 'a=4&b=3', 'Comparison'],
    ['profile/history', 'profile=osd-iops', 'History'],
  ] as const) {
    const validate = validator(noun);
    const question = { method: 'GET', path, query: new URLSearchParams(query) };
    validate(JSON.parse(JSON.stringify(answers.answer(question).body)));
    expect(validate.errors).toBeNull();
  }
});

test('the schema notices a missing key and a wrong type', () => {
  const validate = validator('Started');
  expect([validate({ id: 1 }), validate({}), validate({ id: 'one' })]).toEqual([
    true,
    false,
    false,
  ]);
});
