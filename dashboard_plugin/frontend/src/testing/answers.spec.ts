import { readFileSync } from 'node:fs';
import Ajv2020, { ValidateFunction } from 'ajv/dist/2020';
import { Scene, recorded } from './recorded';

interface Schema {
  readonly 'x-answers': Readonly<Record<string, string>>;
  readonly $defs: Record<string, object>;
}

const text = readFileSync('src/generated/schema.json', 'utf8');
const nouns = (JSON.parse(text) as Schema)['x-answers'];
const SCENES = ['slow', 'calm', 'suspect', 'running', 'fresh'] as const;

/** A validator that also refuses keys the schema does not know. */
function validator(noun: string): ValidateFunction {
  const closed = JSON.parse(text, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    const found = value as { type?: string; properties?: object; additionalProperties?: unknown };
    const open = found.type === 'object' && found.properties && !('additionalProperties' in found);
    return open ? { ...found, additionalProperties: false } : value;
  }) as Schema;
  // The figures of a kind of round: which there are is not laid down.
  closed.$defs['Summary'] = (JSON.parse(text) as Schema).$defs['Summary'] ?? {};
  const ajv = new Ajv2020({ strict: false });
  const list = /^\[(\w+)\]$/.exec(noun)?.[1];
  const one = { $ref: `#/$defs/${list ?? noun}` };
  return ajv.compile({ ...(list ? { type: 'array', items: one } : one), $defs: closed.$defs });
}

/** "GET osd/4?x=1" as the schema has it: "GET osd/ID". */
function questionOf(asked: string): string {
  const [method = '', address = ''] = asked.split(' ');
  const [path = ''] = address.split('?');
  if (asked.includes('"dry_run": true')) return 'POST round dry_run';
  const known = `${method} ${path}`;
  if (known in nouns) return known;
  const like = (one: string): boolean =>
    new RegExp(`^${one.replaceAll(/ID|NAME/g, '[^/]+')}$`).test(known);
  return Object.keys(nouns).find(like) ?? known;
}

const compiled = new Map<string, ValidateFunction>();

test.each(SCENES)('the answers of %s are as the schema has them: record them anew', (scene) => {
  const wrong: [string, unknown][] = [];
  for (const [asked, { status, body }] of Object.entries(recorded(scene).answers)) {
    const noun = status < 400 ? nouns[questionOf(asked)] : undefined;
    if (!noun) continue;
    const validate = compiled.get(noun) ?? validator(noun);
    compiled.set(noun, validate);
    if (!validate(body)) wrong.push([asked, validate.errors?.[0]]);
  }
  expect(wrong).toEqual([]);
});

test('each question was asked', () => {
  const scenes: readonly Scene[] = SCENES;
  const asked = scenes.flatMap((scene) => Object.keys(recorded(scene).answers).map(questionOf));
  const known = Object.keys(nouns).filter((one) => one !== 'error');
  expect(known.filter((one) => !asked.includes(one))).toEqual([]);
});

test('the schema notices a missing key and a wrong type', () => {
  const validate = validator('Started');
  expect([validate({ id: 1 }), validate({}), validate({ id: 'one' })]).toEqual([
    true,
    false,
    false,
  ]);
});
