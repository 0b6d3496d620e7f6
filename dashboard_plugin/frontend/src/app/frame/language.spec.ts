import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestBed } from '@angular/core/testing';
import { world } from '../../testing/fake-http';
import { shownText, until } from '../../testing/settle';
import { LANGUAGES } from '../../generated/languages';
import { FrameComponent } from './frame.component';

function schema(name: string): unknown {
  return JSON.parse(readFileSync(join(process.cwd(), '../schema', name), 'utf8'));
}

/** Sentences of the module with this many letters outside their values are not others by chance. */
const LETTERS = 12;
const TEMPLATES = Object.entries(schema('sentences.json') as Readonly<Record<string, string>>);
const PLACE = /\{[^}]*\}/;

/** The sentences of the module that are in a text in English, though German differs from it. */
async function inEnglish(text: string): Promise<readonly string[]> {
  const { said, words } = await LANGUAGES['de']!();
  const german = said as Readonly<Record<string, string>>;
  const told = TEMPLATES.filter(([code, template]) => german[code] !== template)
    .filter(([, template]) => template.split(PLACE).join('').replaceAll(/\W/g, '').length > LETTERS)
    // Plain parts first: the pattern is slow on a long page.
    .filter(([, template]) => template.split(PLACE).every((part) => text.includes(part)))
    .filter(([, template]) => pattern(template).test(text))
    .map(([code]) => code);
  const fixed = (schema('words.json') as readonly string[]).filter(
    (one) => one.split(' ').length > 3 && words[one] !== one && text.includes(one),
  );
  return [...told, ...fixed];
}

function pattern(template: string): RegExp {
  const parts = template.split(PLACE).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(parts.join('.{1,80}?'));
}

/** The whole page in German, with these words in it. */
async function german(route: string, words: string): Promise<string> {
  const made = world({ rounds: route.startsWith('/rounds/2') ? 30 : 12 });
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
    return same > 1 && text.includes(words);
  });
}

test.each([
  ['/', 'Letzte Läufe'],
  ['/wrong', 'Befund'],
  ['/findings', 'Zuletzt gesehen'],
  ['/findings/1', 'Belege'],
  ['/findings/2', 'Belege'],
  ['/enclosures/0x5000c500a1b2c3d4', 'PSU 1: kritisch'],
  ['/settings', 'Schwellwerte der Erkennung, als'],
  ['/laggy', 'Pool'],
  ['/doctor', 'Angesehen –'],
  ['/crc', 'Fehler von Datenträgern'],
  ['/paths', 'Angesehen –'],
  ['/osds/3', 'Messungen von Lauf'],
  ['/rounds/5', 'unterscheiden sich'],
  ['/rounds/27', 'Clients nach Wiederholung'],
  ['/rounds/28', 'Empfohlene Last'],
  ['/rounds/29', 'fallen auf'],
  ['/compare?a=3&b=11', 'schlechteste zuerst'],
  ['/compare?a=3&b=4', 'lassen sich nicht vergleichen'],
  ['/history?profile=osd-throughput', 'Läufe dieses Verlaufs'],
  ['/schedules', 'nightly'],
])('German: %s has no sentence of the module in English', async (route, words) => {
  expect(await inEnglish(await german(route, words))).toEqual([]);
});

test('a sentence in English is found', async () => {
  expect(await inEnglish('… osd.3 gave no answer within 60 s …')).toEqual(['sample-silent']);
});
