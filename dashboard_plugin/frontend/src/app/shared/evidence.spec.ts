import { evidenceOf, osdsOf } from './evidence';

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
  expect(evidenceOf({ [key]: value }, FIELDS)).toEqual([{ name, value: { as: 'text', text } }]);
});

test('what has no value is left out; known keys come first', () => {
  expect(evidenceOf({ host: null, suspects: [], stuck: false }, FIELDS)).toEqual([]);
  const names = evidenceOf({ later: 1, part: 1 }, FIELDS).map((fact) => fact.name);
  expect(names).toEqual(['part of it', 'later']);
});

test('objects make a table; what one lacks is a dash', () => {
  const [fact] = evidenceOf({ suspects: [{ osd: 3, part: 0.5 }, { osd: 4 }] }, FIELDS);
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
  const [fix, notes] = evidenceOf({ fix: ['a', 'b'], notes: [long] }, FIELDS);
  expect(fix?.value.as).toBe('list');
  expect(notes?.value).toEqual({ as: 'list', list: [{ as: 'text', text: long }] });
  expect(osdsOf(Array.from({ length: 30 }, (_, id) => id))).toMatchObject({ more: '… + 6' });
});
