import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { formatLocale } from '../core/format';
import { fill } from './i18n';

test('names are filled in; one without a value stays', () => {
  expect(fill('{a} of {b}, {c}', { a: 1, b: 'x' })).toBe('1 of x, {c}');
});

test.each([
  [1, '1 OSD is slow'],
  ['1', '1 OSD is slow'],
  [0, '0 OSDs are slow'],
  [21, '21 OSDs are slow'],
  [12345, '12345 OSDs are slow'],
])('what is counted follows its number: %p', (count, text) => {
  expect(fill('{count|OSD is|OSDs are} slow', { count })).toBe(text);
});

test.each([
  [1.5, '1,5 OSDs'],
  [1, '1 OSD'],
])('a number is written as the locale does, and counted as English does: %p', (count, text) => {
  formatLocale.set('de');
  expect(fill('{count|OSD|OSDs}', { count })).toBe(text);
  formatLocale.set('en');
});

test('no key stands in two files', () => {
  const folder = join(process.cwd(), 'src/app/i18n');
  const files = readdirSync(folder).filter((name) => name.startsWith('en'));
  const keys = files.flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(/^ {2}'([^']+)':/gm)].map(
      ([, key]) => key,
    ),
  );
  expect(keys.length).toBeGreaterThan(500);
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
});
