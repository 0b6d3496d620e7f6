import { contrast, isDark, parseLook, rgb, variables } from './look';

/** What the stock dashboards of 16 and 20 have. */
const PACIFIC = {
  font: 'Helvetica Neue, Helvetica, Arial, "Noto Sans", sans-serif',
  size: '16px',
  text: 'rgb(33, 37, 41)',
  ground: 'rgb(255, 255, 255)',
  accent: 'rgb(239, 92, 85)',
  link: 'rgb(37, 130, 142)',
};
const WHITE = [255, 255, 255] as const;
const hex = (text: string): readonly [number, number, number] =>
  [1, 3, 5].map((from) => Number.parseInt(text.slice(from, from + 2), 16)) as never;

test('the look of the host, with colours that can be read', () => {
  const found = variables(PACIFIC, false);
  expect(found).toMatchObject({ '--font': PACIFIC.font, '--size': '16px', '--ground': '#ffffff' });
  expect(found['--text']).toBe('#212529');
  // White on its red has a contrast of 3.4.
  expect(contrast(rgb(PACIFIC.accent)!, WHITE)).toBeLessThan(4.5);
  expect(contrast(hex(found['--main']!), WHITE)).toBeGreaterThanOrEqual(4.5);
  expect(contrast(hex(found['--link']!), WHITE)).toBeGreaterThanOrEqual(4.5);
});

test('a grey ground counts for what stands on it', () => {
  const found = variables({ ...PACIFIC, ground: 'rgb(220, 220, 220)' }, false);
  expect(contrast(hex(found['--link']!), [220, 220, 220])).toBeGreaterThanOrEqual(4.5);
});

test.each([
  [{ size: '9px' }, '--size', '12px'],
  [{ size: '40px' }, '--size', '18px'],
  [{ size: 'large' }, '--size', undefined],
  [{ font: 'a; background: url(x)' }, '--font', undefined],
  [{ ground: 'rgba(0, 0, 0, 0)' }, '--ground', undefined],
  [{ accent: 'red' }, '--main', undefined],
])('%p: %s is %p', (change, name, value) => {
  expect(variables({ ...PACIFIC, ...change }, false)[name]).toBe(value);
});

test.each([[null], ['nonsense'], ['7']])('%p is no look', (text) => {
  expect(variables(parseLook(text), false)).toEqual({});
});

test('a dark host makes the tab dark', () => {
  const dark = { ...PACIFIC, ground: 'rgb(22, 22, 22)', link: 'rgb(0, 0, 120)' };
  expect([isDark(dark), isDark(PACIFIC)]).toEqual([true, false]);
  expect(contrast(hex(variables(dark, true)['--link']!), [22, 22, 22])).toBeGreaterThanOrEqual(4.5);
});
