import { ComponentFixture } from '@angular/core/testing';
import { Round } from '../../generated/types';
import { World, pages, world } from '../../testing/recorded';
import { savedFiles } from '../../testing/saving';
import { button, show, until } from '../../testing/settle';
import { Refusal } from '../core/refusal';
import { RoundComponent } from './round.component';

/** Round 1 with many OSDs more. */
function large(): World {
  const made = world();
  const round = made.http.body<Round>('GET round/1');
  const rows = pages(round.per_osd[0]!, 1_100, 'osd');
  made.http.on('GET round/1', (question) => ({
    ...round,
    found: question.query['search'] ? 1 : 1_100,
    per_osd: question.query['search'] ? [{ ...round.per_osd[0], osd: 99 }] : rows(question),
  }));
  return made;
}

async function opened(made: World): Promise<ComponentFixture<RoundComponent>> {
  const fixture = show(RoundComponent, made, { id: '1' });
  await until(fixture, (found) => found.includes('1–25 of 1100'));
  return fixture;
}

const asked = (made: World, path: string): readonly string[] =>
  made.http.asked.filter((one) => one.startsWith(`GET round/${path}`));

test('search, order and pages are asked of the back end; the distribution is of all', async () => {
  const made = large();
  const fixture = await opened(made);
  const element = fixture.nativeElement as HTMLElement;
  const field = element.querySelector<HTMLInputElement>('input[type=search]')!;
  field.value = 'osd.99';
  field.dispatchEvent(new Event('input'));
  await until(fixture, (found) => found.includes('osd.99') && !found.includes('1–25 of'));
  field.value = '';
  field.dispatchEvent(new Event('input'));
  await until(fixture, (found) => found.includes('1–25 of 1100'));
  button(fixture, 'Next page').click();
  await until(fixture, (found) => found.includes('26–50 of 1100'));
  element.querySelector<HTMLButtonElement>('.pb-table__sort')?.click();
  await until(fixture, (found) => found.includes('1–25 of 1100'));
  expect(asked(made, '1?')).toEqual([
    'GET round/1?offset=0&limit=25',
    'GET round/1?offset=0&limit=25&search=osd.99',
    'GET round/1?offset=0&limit=25',
    'GET round/1?offset=25&limit=25',
    'GET round/1?offset=0&limit=25&sort=%2Bosd',
  ]);
  expect(asked(made, '1/distribution')).toHaveLength(1);
});

describe('the whole round as a file', () => {
  let saved = savedFiles();

  beforeEach(() => {
    saved = savedFiles();
  });

  test.each([
    ['Report', 'as=html', 'round-1.html'],
    ['CSV', 'as=csv', 'round-1.csv'],
    ['JSON', 'as=json', 'round-1.json'],
    ['Raw rows', 'raw=true', 'round-1.raw.json'],
  ])('%s', async (kind, query, name) => {
    const made = large();
    made.http.on('GET round/1/file', () => ({ text: 'all of it' }));
    const fixture = await opened(made);
    button(fixture, `Export all of round 1: ${kind}`).click();
    await until(fixture, () => saved.length > 0);
    expect(asked(made, '1/file')).toEqual([`GET round/1/file?${query}`]);
    expect(saved[0]?.name).toBe(name);
    expect(await saved[0]?.text).toBe('all of it');
  });

  test('a file that is refused is said, and nothing is saved', async () => {
    const made = large();
    const fixture = await opened(made);
    made.http.refuses = ({ name }) =>
      name.endsWith('/file') ? new Refusal('not-found', 'there is no round 1') : null;
    button(fixture, 'Export all of round 1: CSV').click();
    await until(fixture, (found) => found.includes('there is no round 1'));
    expect(saved).toEqual([]);
  });
});
