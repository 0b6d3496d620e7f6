import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { TestBed } from '@angular/core/testing';
import { jest } from '@jest/globals';
import { LANGUAGES } from '../../generated/languages';
import { formatLocale } from '../core/format';
import { de } from './de';
import { en, Key } from './en';
import { world } from '../../testing/fake-http';
import { I18n, fill } from './i18n';

/** The module's own, by code, in English. */
const SENTENCES = JSON.parse(
  readFileSync(join(process.cwd(), '../schema/sentences.json'), 'utf8'),
) as Readonly<Record<string, string>>;

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

test.each([
  ['en', 1.5, '1.5 OSDs'],
  ['de', 1.5, '1,5 OSDs'],
  ['de', 12345, '12345 OSDs'],
  ['de', '1,0', '1,0 OSD'],
])('in %s the number %p is written and counted: %s', (locale, count, text) => {
  formatLocale.set(locale);
  expect(fill('{count|OSD|OSDs}', { count })).toBe(text);
  formatLocale.set('en');
});

test.each([
  [1, '1 dysk'],
  [3, '3 dyski'],
  [5, '5 dysków'],
  [22, '22 dyski'],
  [1.5, '1,5 dysku'],
])('a language with more than two forms: %p', (count, text) => {
  formatLocale.set('pl');
  expect(fill('{count|dysk|dyski|dysków|dysku}', { count })).toBe(text);
  formatLocale.set('en');
});

test('every language is one file, and is there when it is asked for', async () => {
  const folder = join(process.cwd(), 'src/app/i18n/languages');
  const files = readdirSync(folder).map((name) => name.replace('.ts', ''));
  expect(Object.keys(LANGUAGES).sort()).toEqual(files.sort());
  for (const load of Object.values(LANGUAGES)) {
    const { sentences, words, said } = await load();
    expect(Object.keys(sentences).every((key) => key in en)).toBe(true);
    expect(Object.keys(words).length + Object.keys(said).length).toBeGreaterThan(0);
  }
});

test('a language that comes late does not replace the one chosen since', async () => {
  const german = await LANGUAGES['de']!();
  let come = (): void => undefined;
  const coming = new Promise<typeof german>((resolve) => (come = () => resolve(german)));
  const load = jest.spyOn(LANGUAGES, 'de').mockReturnValue(coming);
  const made = world();
  TestBed.configureTestingModule({ providers: made.providers });
  const i18n = TestBed.inject(I18n);
  made.host.locale.set('de');
  TestBed.tick();
  made.host.locale.set('en');
  TestBed.tick();
  expect(load).toHaveBeenCalledTimes(1);
  come();
  await new Promise((next) => setTimeout(next));
  expect([i18n.t('common.cancel'), formatLocale()]).toEqual([en['common.cancel'], 'en']);
  load.mockRestore();
});

test('every language says every sentence of the module, with values that it has', async () => {
  const codes = Object.keys(SENTENCES);
  expect(codes.length).toBeGreaterThan(400);
  const names = (text: string): string[] => (text.match(/(?<=\{)\w+/g) ?? []).sort();
  const unique = (text: string): string[] => [...new Set(names(text))];
  for (const [language, load] of Object.entries(LANGUAGES)) {
    const said = (await load()).said as Readonly<Record<string, string>>;
    const missing = codes.filter((code) => !said[code]);
    expect({ language, missing }).toEqual({ language, missing: [] });
    for (const code of codes)
      expect([code, ...unique(said[code] ?? '')]).toEqual([code, ...unique(SENTENCES[code] ?? '')]);
  }
});

test('every language has every fixed text of the module, with the names in it', async () => {
  const fixed = JSON.parse(
    readFileSync(join(process.cwd(), '../schema/words.json'), 'utf8'),
  ) as readonly string[];
  expect(fixed.length).toBeGreaterThan(200);
  const names = (text: string): string[] => (text.match(/\{\w+/g) ?? []).sort();
  for (const [language, load] of Object.entries(LANGUAGES)) {
    const { words } = await load();
    const missing = fixed.filter((text) => !words[text]);
    expect({ language, missing }).toEqual({ language, missing: [] });
    for (const text of fixed)
      expect([text, ...names(words[text] ?? '')]).toEqual([text, ...names(text)]);
  }
});

test.each([
  ['{osds:osds} {osds#ist|sind} aus', { osds: [7] }, 'osd.7 ist aus'],
  ['{osds:osds} {osds#ist|sind} aus', { osds: [8, 7] }, 'osd.7 und osd.8 sind aus'],
  ['{osds:osds}', { osds: [5, 4, 3, 2, 1, 0] }, 'osd.0, osd.1, osd.2, osd.3 und +2'],
  ['{flags:all} | {flags:clauses}', { flags: ['a', 'b', 'c'] }, 'a, b, c | a; b; c'],
  ['{cv:.1f} %, {z:.3g}, {most}', { cv: 3, z: 0.12345, most: 2.5 }, '3,0 %, 0,123, 2,5'],
  ['{a:span}, {b:span}, {c:span}', { a: 5.5, b: 600, c: 7500 }, '5,5 s, 10 min, 2 h 05 min'],
  ['{a:times}, {b:times}, {c:times}', { a: 1.416, b: 4.13, c: 25.4 }, '1,42, 4,1, 25'],
  ['{up:+.1f} %, {down:+.1f} %', { up: 3.21, down: -10.06 }, '+3,2 %, −10,1 %'],
  ['{size:gib}, {took:ms}', { size: 1.5 * 2 ** 30, took: 0.0123 }, '1,5 GiB, 12,3 ms'],
  ['{why}', { why: { code: 'x', text: 'as it comes', values: {} } }, 'as it comes'],
])('values of the module in German: %s %j', (template, values, text) => {
  formatLocale.set('de');
  expect(fill(template, values)).toBe(text);
  formatLocale.set('en');
});

test('a translation has every sentence, with the names of the English one', () => {
  expect(Object.keys(de).sort()).toEqual(Object.keys(en).sort());
  const names = (text: string): string[] => (text.match(/\{\w+/g) ?? []).sort();
  for (const [key, text] of Object.entries(de)) expect(names(text)).toEqual(names(en[key as Key]));
});

test.each(['de', 'en'])('no key of %s stands in two files', (language) => {
  const folder = join(process.cwd(), 'src/app/i18n');
  const files = readdirSync(folder).filter((name) => name.startsWith(language));
  const keys = files.flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(/^ {2}'([^']+)':/gm)].map(
      ([, key]) => key,
    ),
  );
  expect(keys.length).toBeGreaterThan(500);
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
});

test('German has commands within „…“, and nothing within other marks', async () => {
  const { sentences, words, said } = await LANGUAGES['de']!();
  const texts = [sentences, words, said].flatMap((each) => Object.values(each));
  for (const text of texts) {
    expect(text).not.toMatch(/'[^']*'|“[^„]*”|«|»|‚|"/);
    const bare = text.replaceAll(/„[^“]*“/g, '');
    expect(bare).not.toMatch(/\bceph(-perf-bench)? [a-z]|\{command\}/);
  }
});
