import { evidenceOf, osdsOf } from './evidence';

test.each<[string, unknown, string, string]>([
  ['max_ratio', 4.105, 'max ratio', '4.11 ×'],
  ['part', 0.5, 'part', '50.0 %'],
  ['stale_seconds', 25, 'stale', '25 s'],
  ['latency_ms', 14.234, 'latency', '14.2 ms'],
  ['share', 0.07, 'share', '7.0 %'],
  ['peak', 12, 'peak', '12'],
  ['pools', ['rbd', 'data'], 'pools', 'rbd, data'],
  ['stuck', true, 'stuck', 'yes'],
])('%s', (key, value, name, text) => {
  expect(evidenceOf({ [key]: value })).toEqual([{ name, value: { as: 'text', text } }]);
});

test('what has no value is left out', () => {
  expect(evidenceOf({ host: null, suspects: [], stuck: false })).toEqual([]);
});

test('objects make a table; what one lacks is a dash', () => {
  const [fact] = evidenceOf({ suspects: [{ osd: 3, part: 0.5 }, { osd: 4 }] });
  const dash = { as: 'text', text: '–' };
  const half = { as: 'text', text: '50.0 %' };
  expect(fact?.value).toEqual({
    as: 'table',
    heads: ['osd', 'part'],
    rows: [
      [osdsOf([3]), half],
      [osdsOf([4]), dash],
    ],
  });
});

test('commands are kept apart, long texts too; many OSDs are counted', () => {
  const long = 'x'.repeat(41);
  const [fix, notes] = evidenceOf({ fix: ['a', 'b'], notes: [long] });
  expect(fix?.value.as).toBe('list');
  expect(notes?.value).toEqual({ as: 'list', list: [{ as: 'text', text: long }] });
  expect(osdsOf(Array.from({ length: 30 }, (_, id) => id))).toMatchObject({ more: '… + 6' });
});
