import { ComponentFixture, TestBed } from '@angular/core/testing';
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
    shown.includes('Nothing is wrong in what'),
  );
  expect(text).not.toContain('not known');
});

test('a module that has not looked yet says so', async () => {
  const made = world({ osds: 0, rounds: 0 });
  const { answers } = made.http;
  const real = answers.answer.bind(answers);
  answers.answer = (question) => {
    const { body, ...more } = real(question);
    const { problems, ...rest } = body as { problems?: unknown };
    return question.path === 'status' && problems ? { ...more, body: rest } : { ...more, body };
  };
  TestBed.configureTestingModule({ providers: made.providers });
  const text = await until(TestBed.createComponent(WrongComponent), (shown) =>
    shown.includes('What is wrong'),
  );
  await until(TestBed.createComponent(WrongComponent), (shown) => shown.includes('not known yet'));
  expect(text).not.toContain('Nothing is wrong in what');
});
