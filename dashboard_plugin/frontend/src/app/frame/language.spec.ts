import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestBed } from '@angular/core/testing';
import { world } from '../../testing/fake-http';
import { shownText, until } from '../../testing/settle';
import { LANGUAGES } from '../../generated/languages';
import { FrameComponent } from './frame.component';

function schema<T>(name: string): T {
  return JSON.parse(readFileSync(join(process.cwd(), '../schema', name), 'utf8')) as T;
}

/** Sentences of the module with this many letters outside their values are not others by chance. */
const LETTERS = 12;
const TEMPLATES = Object.entries(schema<Readonly<Record<string, string>>>('sentences.json'));
const PLACE = /\{[^}]*\}/;

/** The sentences of the module that are in a text in English, though German differs from it. */
async function inEnglish(text: string): Promise<readonly string[]> {
  const { said, words } = await LANGUAGES['de']!();
  const german = said as Readonly<Record<string, string>>;
  const told = TEMPLATES.filter(([code, template]) => german[code] !== template)
    .filter(([, template]) => template.split(PLACE).join('').replaceAll(/\W/g, '').length > LETTERS)
    .filter(([, template]) => pattern(template).test(text))
    .map(([code]) => code);
  const fixed = schema<readonly string[]>('words.json').filter(
    (one) => one.split(' ').length > 3 && words[one] !== one && text.includes(one),
  );
  return [...told, ...fixed];
}

function pattern(template: string): RegExp {
  const parts = template.split(PLACE).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(parts.join('.{1,80}?'));
}

async function german(route: string): Promise<string> {
  const made = world();
  made.host.locale.set('de');
  made.host.route.set(route);
  TestBed.configureTestingModule({ providers: made.providers });
  const fixture = TestBed.createComponent(FrameComponent);
  let last = '';
  let same = 0;
  return until(fixture, () => {
    const text = shownText(fixture);
    same = text === last ? same + 1 : 0;
    last = text;
    return same > 3 && text.includes('Läufe');
  });
}

test.each([
  '/',
  '/wrong',
  '/findings/2',
  '/laggy',
  '/doctor',
  '/crc',
  '/paths',
  '/osds/3',
  '/rounds/5',
  '/rounds/27',
  '/rounds/28',
  '/rounds/29',
  '/compare?a=3&b=11',
  '/compare?a=3&b=4',
  '/history?profile=osd-throughput',
  '/schedules',
])('German: %s has no sentence of the module in English', async (route) => {
  expect(await inEnglish(await german(route))).toEqual([]);
});

test('a sentence in English is found', async () => {
  expect(await inEnglish('… osd.3 gave no answer within 60 s …')).toEqual(['sample-silent']);
});
