import { ComponentFixture, TestBed } from '@angular/core/testing';
import { Refused } from '../../../fake/refused.mjs';
import { world } from '../../testing/fake-http';
import { shownText, until } from '../../testing/settle';
import { WrongComponent } from './wrong.component';

/** The filter of this name; its number stands behind it. */
function chip(fixture: ComponentFixture<WrongComponent>, name: string): HTMLButtonElement {
  const all = [...(fixture.nativeElement as HTMLElement).querySelectorAll('button')];
  return all.find((one) => one.textContent.trim().startsWith(name))!;
}

test('findings, hardware and advice in one list, filtered by kind', async () => {
  const made = world();
  made.host.route.set('/wrong');
  TestBed.configureTestingModule({ providers: made.providers });
  const fixture = TestBed.createComponent(WrongComponent);
  const text = await until(fixture, (shown) => /Advice [1-9]/.test(shown));
  expect(text).toContain('host host-2');
  chip(fixture, 'Hardware').click();
  expect(made.host.route()).toBe('/wrong?sort=hardware');
  await until(fixture, (shown) => !shown.includes('host host-2'));
  expect(shownText(fixture)).toContain('The enclosure reports the state fault.');
  chip(fixture, 'Hardware').click();
  expect(made.host.route()).toBe('/wrong');
});

test('a cluster in which nothing is wrong says so', async () => {
  const made = world({ osds: 0, rounds: 0 });
  made.host.route.set('/wrong');
  TestBed.configureTestingModule({ providers: made.providers });
  const text = await until(TestBed.createComponent(WrongComponent), (shown) =>
    /No finding|Advice [1-9]/.test(shown),
  );
  expect(text).not.toContain('Laggy PGs 1');
});

test('what was advised before is not current once the checks give no answer', async () => {
  const made = world({ osds: 0, rounds: 0 });
  const { answers } = made.http;
  const real = answers.answer.bind(answers);
  let broken = false;
  answers.answer = (question) => {
    if (question.path === 'doctor' && broken) throw new Refused(500, 'fault', 'the checks broke');
    // Nothing else is wrong.
    const empty = ['doctor', 'finding', 'enclosure', 'multipath'].includes(question.path);
    return empty ? { body: [], total: 0 } : real(question);
  };
  answers.watch.calm = true;
  TestBed.configureTestingModule({ providers: made.providers });
  await until(TestBed.createComponent(WrongComponent), (text) => text.includes('and no advice.'));
  broken = true;
  // The page is opened again: it begins with the advice that it knew.
  const fixture = TestBed.createComponent(WrongComponent);
  const text = await until(fixture, (shown) => shown.includes('Not current: the checks broke'));
  expect(text).not.toContain('and no advice.');
});
