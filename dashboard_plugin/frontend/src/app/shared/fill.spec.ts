import { formatLocale } from '../core/format';
import { fill } from './fill';

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
