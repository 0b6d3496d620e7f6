import { deEvidence } from '../i18n/de-evidence';
import { wordsOfModule } from '../i18n/worded';
import { Key, en } from '../i18n/en';
import { I18n } from '../i18n/i18n';
import { evidenceOf, osdsOf, toldEvidence } from './evidence';

afterEach(() => wordsOfModule.set({}));

test('words of the module in the language of the tab; unknown ones as they are', () => {
  wordsOfModule.set(deEvidence);
  const fields = { ratio: { words: 'latency', unit: 'ms' }, x: { words: 'news', unit: '' } };
  const names = evidenceOf({ ratio: 1, x: 2 }, fields, t).map(({ name }) => name);
  expect(names).toEqual(['Latenz', 'news']);
});

const t = (key: Key): string => en[key];
const FIELDS = {
  ratio: { words: 'times its peers', unit: 'ratio' },
  part: { words: 'part of it', unit: 'fraction' },
  silent: { words: 'silent for', unit: 's' },
  speed: { words: 'speed', unit: 'furlongs' },
  fix: { words: 'fix', unit: 'command' },
};

test.each<[string, unknown, string, string]>([
  ['ratio', 4.105, 'times its peers', '4.11 ×'],
  ['part', 0.5, 'part of it', '50.0 %'],
  ['silent', 25, 'silent for', '25 s'],
  ['speed', 12, 'speed', '12 furlongs'],
  ['latency_ms', 14.234, 'latency', '14.2 ms'],
  ['share', 0.07, 'share', '7.0 %'],
  ['peak', 12, 'peak', '12'],
  ['pools', ['rbd', 'data'], 'pools', 'rbd, data'],
  ['stuck', true, 'stuck', 'yes'],
])('%s', (key, value, name, text) => {
  expect(evidenceOf({ [key]: value }, FIELDS, t)).toEqual([{ name, value: { as: 'text', text } }]);
});

test('what has no value is left out; known keys come first', () => {
  expect(evidenceOf({ host: null, suspects: [], stuck: false }, FIELDS, t)).toEqual([]);
  const names = evidenceOf({ later: 1, part: 1 }, FIELDS, t).map((fact) => fact.name);
  expect(names).toEqual(['part of it', 'later']);
});

test('objects make a table; what one lacks is a dash', () => {
  const [fact] = evidenceOf({ suspects: [{ osd: 3, part: 0.5 }, { osd: 4 }] }, FIELDS, t);
  const dash = { as: 'text', text: '–' };
  const half = { as: 'text', text: '50.0 %' };
  expect(fact?.value).toEqual({
    as: 'table',
    heads: ['osd', 'part of it'],
    rows: [
      [osdsOf([3]), half],
      [osdsOf([4]), dash],
    ],
  });
});

test('commands are kept apart, long texts too; many OSDs are counted', () => {
  const long = 'x'.repeat(41);
  const [fix, notes] = evidenceOf({ fix: ['a', 'b'], notes: [long] }, FIELDS, t);
  expect(fix?.value.as).toBe('list');
  expect(notes?.value).toEqual({ as: 'list', list: [{ as: 'text', text: long }] });
  expect(osdsOf(Array.from({ length: 30 }, (_, id) => id))).toMatchObject({ more: '… + 6' });
});

test('sentences of the module take the place of their texts, wherever they are', () => {
  const i18n = { say: ({ code }: { code: string }) => `${code}!` } as unknown as I18n;
  const said = (code: string): object => ({ code, text: code, values: {} });
  const evidence = {
    shared: 'a',
    why: ['b', 'c'],
    states: { code: '1 of 2 paths', sdb: '2 of 2 paths' },
    errors: [{ kind: 'crc', count: 3 }, { kind: 'new' }],
    count: 7,
    said: {
      shared: said('expander'),
      why: [null, said('stage')],
      states: { code: said('paths-of') },
      errors: [{ kind: said('errors-crc') }, null],
      gone: said('not here'),
    },
  };
  expect(toldEvidence(evidence, i18n)).toEqual({
    shared: 'expander!',
    why: ['b', 'stage!'],
    states: { code: 'paths-of!', sdb: '2 of 2 paths' },
    errors: [{ kind: 'errors-crc!', count: 3 }, { kind: 'new' }],
    count: 7,
  });
  expect(toldEvidence({ count: 7, said: 'no object' }, i18n)).toEqual({ count: 7 });
});
