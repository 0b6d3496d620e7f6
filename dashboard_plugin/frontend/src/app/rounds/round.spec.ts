import { TestBed } from '@angular/core/testing';
import { World, world } from '../../testing/fake-http';
import { savedFiles } from '../../testing/saving';
import { button, until } from '../../testing/settle';
import { RoundComponent } from './round.component';

const OSDS = 1_100;

function shown(
  made: World,
  id: string,
): ReturnType<typeof TestBed.createComponent<RoundComponent>> {
  TestBed.configureTestingModule({ providers: made.providers });
  const fixture = TestBed.createComponent(RoundComponent);
  fixture.componentRef.setInput('id', id);
  return fixture;
}

/** What was asked about a round, in order. */
function askedFor(made: World, path: string): readonly string[] {
  return made.http.asked.filter((one) => one.startsWith(`GET round/${path}`));
}

test('a page of OSDs is one question, and the distribution is of all', async () => {
  const made = world({ osds: OSDS });
  const fixture = shown(made, '5');
  const text = await until(fixture, (found) => found.includes('1100 of 1100 OSDs'));
  expect(text).toContain('1–25 of 1100');
  expect(askedFor(made, '5?')).toEqual(['GET round/5?offset=0&limit=25']);
  expect(askedFor(made, '5/')).toEqual(['GET round/5/distribution']);
});

test('search, order and pages are asked of the back end', async () => {
  const made = world({ osds: OSDS });
  const fixture = shown(made, '5');
  await until(fixture, (found) => found.includes('1–25 of 1100'));
  const element = fixture.nativeElement as HTMLElement;
  const field = element.querySelector<HTMLInputElement>('input[type=search]')!;
  field.value = `osd.${OSDS - 1}`; // one of the fast half
  field.dispatchEvent(new Event('input'));
  await until(fixture, (found) => !found.includes('1–25 of'));
  expect([...element.querySelectorAll('tbody a')].map((one) => one.textContent)).toEqual([
    `osd.${OSDS - 1}`,
  ]);
  field.value = '';
  field.dispatchEvent(new Event('input'));
  await until(fixture, (found) => found.includes('1–25 of 1100'));
  button(fixture, 'Next page').click();
  await until(fixture, (found) => found.includes('26–50 of 1100'));
  element.querySelector<HTMLButtonElement>('.pb-table__sort')?.click();
  await until(fixture, (found) => found.includes('1–25 of 1100'));
  expect(askedFor(made, '5?').slice(1)).toEqual([
    `GET round/5?offset=0&limit=25&search=osd.${OSDS - 1}`,
    'GET round/5?offset=0&limit=25',
    'GET round/5?offset=25&limit=25',
    'GET round/5?offset=0&limit=25&sort=%2Bosd',
  ]);
});

describe('the whole round as a file', () => {
  let saved = savedFiles();

  beforeEach(() => {
    saved = savedFiles();
  });

  test.each([
    ['Report', 'as=html', 'round-5.html'],
    ['CSV', 'as=csv', 'round-5.csv'],
    ['JSON', 'as=json', 'round-5.json'],
    ['Raw rows', 'raw=true', 'round-5.raw.json'],
  ])('%s: every part, in order', async (kind, query, name) => {
    const made = world({ osds: OSDS });
    const fixture = shown(made, '5');
    await until(fixture, (found) => found.includes('1–25 of 1100'));
    button(fixture, `Export all of round 5: ${kind}`).click();
    await until(fixture, () => saved.length > 0);
    const parts = [0, 1, 2];
    expect(askedFor(made, '5/file')).toEqual(
      parts.map((part) => `GET round/5/file?${query}&part=${part}`),
    );
    expect(saved[0]?.name).toBe(name);
    const lines = ((await saved[0]?.text) ?? '').trim().split('\n');
    expect(new Set(lines.slice(1)).size).toBe(OSDS);
  });

  test('a part that is refused is said, and nothing is saved', async () => {
    const made = world({ osds: OSDS });
    const fixture = shown(made, '5');
    await until(fixture, (found) => found.includes('1–25 of 1100'));
    made.http.answers.remove('5');
    button(fixture, 'Export all of round 5: CSV').click();
    await until(fixture, (found) => found.includes('there is no round 5'));
    expect(saved).toEqual([]);
  });
});
