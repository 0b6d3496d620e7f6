import { ComponentFixture, TestBed } from '@angular/core/testing';
import { READER, World, standsAt, world } from '../../testing/fake-http';
import { button, shownText, until } from '../../testing/settle';
import { AbortComponent } from './abort.component';
import { ActiveRoundComponent } from './active-round.component';

test('no round, no card', async () => {
  TestBed.configureTestingModule({ providers: world().providers });
  const fixture = TestBed.createComponent(ActiveRoundComponent);
  await fixture.whenStable();
  expect((fixture.nativeElement as HTMLElement).querySelector('section')).toBeNull();
});

test('progress shows and is spoken in steps; the frame has the abort', async () => {
  const made = world();
  const { answers } = made.http;
  answers.start({ profile: 'osd-throughput' });
  standsAt(answers, 17);
  TestBed.configureTestingModule({ providers: made.providers });
  const fixture = TestBed.createComponent(ActiveRoundComponent);
  const text = await until(fixture, (shown) => shown.includes('Round 13 is running'));
  expect(text).toMatch(/5\d % osd-throughput, write: \d+ of 72 samples, about 13 s left/);
  expect(text).toContain('Round 13: 50 % done');
  expect(text).not.toContain('Abort');
});

test.each([
  [26.4, 'about 4 s left'],
  [29.96, 'about 1 s left'],
])('after %p s the time left is told in whole seconds: %p', async (at, words) => {
  const made = world();
  made.http.answers.start({ profile: 'osd-throughput' });
  standsAt(made.http.answers, at);
  TestBed.configureTestingModule({ providers: made.providers });
  await until(TestBed.createComponent(ActiveRoundComponent), (text) => text.includes(words));
});

test('the OSDs that a round waits for are named', async () => {
  const made = world();
  const { answers } = made.http;
  answers.start({ profile: 'osd-throughput' });
  const waitsFor = (osds: number, ...longest: { osd: number; seconds: number }[]): void => {
    answers.waitsFor = { osds, longest };
  };
  waitsFor(1, { osd: 4, seconds: 45.2 });
  TestBed.configureTestingModule({ providers: made.providers });
  const fixture = TestBed.createComponent(ActiveRoundComponent);
  await until(fixture, (shown) => shown.includes('left; waits for osd.4 (45 s)'));
  waitsFor(3, { osd: 4, seconds: 125 }, { osd: 2, seconds: 31 });
  await until(fixture, (shown) =>
    shown.includes('left; waits for osd.4 (2 min 05 s), osd.2 (31 s) and 1 more'),
  );
});

function abort(made: World): ComponentFixture<AbortComponent> {
  TestBed.configureTestingModule({ providers: made.providers });
  const fixture = TestBed.createComponent(AbortComponent);
  fixture.componentRef.setInput('round', 13);
  return fixture;
}

test('abort asks before it acts', async () => {
  const made = world();
  const { answers } = made.http;
  answers.start({ profile: 'osd-throughput' });
  const fixture = abort(made);
  await until(fixture, (shown) => shown.includes('Abort…'));
  button(fixture, 'Abort…').click();
  await until(fixture, (shown) => shown.includes('Abort round 13?'));
  expect(answers.active).not.toBeNull();
  button(fixture, 'Abort the round').click();
  await until(fixture, () => answers.active === null);
  // One state, and no button that would do the same again.
  const text = await until(fixture, (shown) => shown.includes('Stopping…'));
  expect(text).not.toContain('Abort…');
});

test('an abort that comes too late says so in the dialog', async () => {
  const made = world();
  made.http.answers.start({ profile: 'osd-throughput' });
  const fixture = abort(made);
  await until(fixture, (shown) => shown.includes('Abort…'));
  button(fixture, 'Abort…').click();
  await fixture.whenStable();
  made.http.answers.abort('13');
  button(fixture, 'Abort the round').click();
  await until(fixture, (shown) => shown.includes('round 13 is not running'));
});

test('who may only read has no abort', async () => {
  const made = world({ permissions: READER });
  made.http.answers.start({ profile: 'osd-throughput' });
  const fixture = abort(made);
  await fixture.whenStable();
  expect(shownText(fixture)).not.toContain('Abort');
});

test('who may only read sees the progress', async () => {
  const made = world({ permissions: READER });
  made.http.answers.start({ profile: 'osd-throughput' });
  TestBed.configureTestingModule({ providers: made.providers });
  const fixture = TestBed.createComponent(ActiveRoundComponent);
  const text = await until(fixture, (shown) => shown.includes('Round 13 is running'));
  expect(text).not.toContain('Abort');
});
