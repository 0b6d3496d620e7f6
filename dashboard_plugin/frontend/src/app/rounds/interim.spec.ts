import { TestBed } from '@angular/core/testing';
import { READER, standsAt, world } from '../../testing/fake-http';
import { button, until } from '../../testing/settle';
import { InterimComponent } from './interim.component';
import { QuiesceComponent } from './quiesce.component';
import { RoundComponent } from './round.component';

test('a running round shows its wave, figures so far, clients and what is held', async () => {
  const made = world();
  const { answers } = made.http;
  answers.start({ profile: 'osd-throughput' });
  standsAt(answers, 17);
  TestBed.configureTestingModule({ providers: made.providers });
  const fixture = TestBed.createComponent(RoundComponent);
  fixture.componentRef.setInput('id', '13');
  const text = await until(
    fixture,
    (shown) => shown.includes('24 of 24 OSDs have figures') && shown.includes('flag/noscrub'),
  );
  expect(text).toMatch(/Repeat 2, wave \d+ of 20\./);
  expect(text).toContain('6.0 ms now, 4.1 ms before the round, 6.0 ms at most.');
  expect(text).toContain('Changed by round 13.');
  expect(text).toContain('flag/noscrub: set, was unset');
  // the frame has the one abort of all pages
  expect(text).not.toContain('Abort…');
});

test.each([
  ['osd-throughput', 13, 'MiB/s', 'IOPS'],
  ['osd-iops', 14, 'IOPS', 'MiB/s'],
])('%s is told in its own unit', async (profile, id, unit, other) => {
  const made = world({ rounds: id - 1 });
  made.http.answers.start({ profile });
  standsAt(made.http.answers, 17);
  TestBed.configureTestingModule({ providers: made.providers });
  const fixture = TestBed.createComponent(InterimComponent);
  fixture.componentRef.setInput(
    'round',
    made.http.answers.round(String(id), new URLSearchParams()),
  );
  await until(fixture, (shown) => shown.includes('24 of 24 OSDs have figures'));
  const figures = [...(fixture.nativeElement as HTMLElement).querySelectorAll('td.pb-figure')]
    .map((cell) => cell.textContent)
    .filter((text) => /[a-z]/i.test(text));
  // The fastest, the median and the slowest of each class, and the slowest OSDs.
  expect(figures.length).toBeGreaterThan(6);
  for (const text of figures) expect(text).toContain(unit);
  expect(figures.join(' ')).not.toContain(other);
});

describe('what a round has left changed', () => {
  test('is shown with the commands, and put back after a question', async () => {
    const made = world();
    made.http.answers.leftOver = true;
    TestBed.configureTestingModule({ providers: made.providers });
    const fixture = TestBed.createComponent(QuiesceComponent);
    const text = await until(fixture, (shown) => shown.includes('Not all settings are put back'));
    expect(text).toContain('the monitors did not answer');
    expect(text).toContain('ceph osd unset noscrub');
    button(fixture, 'Put back now').click();
    await until(fixture, (shown) => shown.includes('Put the settings back?'));
    expect(made.http.answers.leftOver).toBe(true);
    const element = fixture.nativeElement as HTMLElement;
    element.querySelector<HTMLButtonElement>('.pb-actions .pb-button--main')!.click();
    await until(fixture, (shown) => shown.includes('No round has changed a setting'));
    expect(made.http.answers.leftOver).toBe(false);
  });

  test('is shown to a reader without a button', async () => {
    const made = world({ permissions: READER });
    made.http.answers.leftOver = true;
    TestBed.configureTestingModule({ providers: made.providers });
    const fixture = TestBed.createComponent(QuiesceComponent);
    const text = await until(fixture, (shown) => shown.includes('Not all settings are put back'));
    expect(text).not.toContain('Put back now');
  });

  test('says of a setting that cannot be read that it is not known', async () => {
    const made = world();
    const { answers } = made.http;
    answers.leftOver = true;
    const whole = answers.quiesce.bind(answers);
    const unread = 'the monitors do not answer';
    answers.quiesce = () => {
      const found = whole();
      return { ...found, changed: found.changed.map((one) => ({ ...one, now: null, unread })) };
    };
    TestBed.configureTestingModule({ providers: made.providers });
    const fixture = TestBed.createComponent(QuiesceComponent);
    const text = await until(fixture, (shown) => shown.includes('not known now'));
    expect(text).toContain('not known now (the monitors do not answer), was unset');
  });

  test('counts the settings for which there is no command', async () => {
    const made = world();
    const { answers } = made.http;
    answers.leftOver = true;
    const whole = answers.quiesce.bind(answers);
    answers.quiesce = () => ({ ...whole(), commands_left_out: 3 });
    TestBed.configureTestingModule({ providers: made.providers });
    const fixture = TestBed.createComponent(QuiesceComponent);
    await until(fixture, (shown) => shown.includes('And 3 more settings'));
  });

  test('is nothing on the page of a round while nothing is', async () => {
    const made = world();
    TestBed.configureTestingModule({ providers: made.providers });
    const fixture = TestBed.createComponent(QuiesceComponent);
    fixture.componentRef.setInput('brief', true);
    await until(fixture, () => made.http.asked.includes('GET quiesce'));
    await fixture.whenStable();
    expect((fixture.nativeElement as HTMLElement).querySelector('section')).toBeNull();
  });
});
