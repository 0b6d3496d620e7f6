import { de } from './de';
import { en, Key } from './en';
import { fill } from './i18n';

test('names are filled in; one without a value stays', () => {
  expect(fill('{a} of {b}, {c}', { a: 1, b: 'x' })).toBe('1 of x, {c}');
});

test.each([
  [1, '1 OSD is slow'],
  ['1', '1 OSD is slow'],
  [0, '0 OSDs are slow'],
  [21, '21 OSDs are slow'],
])('what is counted follows its number: %p', (count, text) => {
  expect(fill('{count|OSD is|OSDs are} slow', { count })).toBe(text);
});

test('a translation has every sentence, with the names of the English one', () => {
  expect(Object.keys(de).sort()).toEqual(Object.keys(en).sort());
  const names = (text: string): string[] => (text.match(/\{\w+/g) ?? []).sort();
  for (const [key, text] of Object.entries(de)) expect(names(text)).toEqual(names(en[key as Key]));
});
