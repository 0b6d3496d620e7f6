import { de } from './de';
import { en, Key } from './en';
import { fill } from './i18n';

test('names are filled in; one without a value stays', () => {
  expect(fill('{a} of {b}, {c}', { a: 1, b: 'x' })).toBe('1 of x, {c}');
});

test('a translation has the names of the English sentence', () => {
  const names = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort();
  for (const [key, text] of Object.entries(de)) expect(names(text)).toEqual(names(en[key as Key]));
});
