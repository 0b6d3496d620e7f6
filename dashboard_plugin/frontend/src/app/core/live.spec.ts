import { jest } from '@jest/globals';
import { signal } from '@angular/core';
import { TestBed } from '@angular/core/testing';
import { Live, LiveOptions, backOff, live } from './live';
import { Memory } from './memory';
import { Refusal } from './refusal';

let asked = 0;
let answer: () => unknown = () => ({ n: 1 });
const which = signal('a');

function begin(options: LiveOptions = { every: () => 1000 }): Live<unknown> {
  asked = 0;
  const made = TestBed.runInInjectionContext(() =>
    live(async () => {
      which();
      asked += 1;
      return Promise.resolve(answer());
    }, options),
  );
  TestBed.tick();
  return made;
}

function hide(hidden: boolean): void {
  Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}

beforeEach(() => {
  jest.useFakeTimers();
  answer = () => ({ n: 1 });
});
afterEach(() => {
  hide(false);
  TestBed.resetTestingModule();
  jest.useRealTimers();
});

test('asks, waits, asks again; the same answer keeps its identity', async () => {
  const made = begin();
  await jest.advanceTimersByTimeAsync(0);
  const first = made.value();
  expect(first).toEqual({ n: 1 });
  await jest.advanceTimersByTimeAsync(2000);
  expect(asked).toBe(3);
  expect(made.value()).toBe(first);
});

test('a failure keeps the answer before, says why, and waits twice as long each time', async () => {
  const made = begin();
  await jest.advanceTimersByTimeAsync(0);
  answer = () => {
    throw new Refusal('unreachable', '');
  };
  await jest.advanceTimersByTimeAsync(1000);
  expect([made.value(), made.refusal()?.kind]).toEqual([{ n: 1 }, 'unreachable']);
  const before = asked;
  await jest.advanceTimersByTimeAsync(1999);
  expect(asked).toBe(before);
  await jest.advanceTimersByTimeAsync(1);
  expect(asked).toBe(before + 1);
  answer = () => ({ n: 2 });
  await jest.advanceTimersByTimeAsync(4000);
  expect([made.value(), made.refusal()]).toEqual([{ n: 2 }, null]);
});

test.each([
  [1000, 0, 1000],
  [1000, 3, 8000],
  [1000, 50, 60_000],
])('backOff(%p, %p) is %p', (every, failures, pause) => {
  expect(backOff(every, failures)).toBe(pause);
});

test('nothing is asked while nobody can see it, and at once when somebody can again', async () => {
  begin();
  await jest.advanceTimersByTimeAsync(0);
  hide(true);
  await jest.advanceTimersByTimeAsync(60_000);
  const before = asked;
  expect(before).toBeLessThanOrEqual(2);
  hide(false);
  await jest.advanceTimersByTimeAsync(0);
  expect(asked).toBe(before + 1);
});

test.each([
  [false, null],
  [true, { n: 1 }],
])('another question: with keep %p meanwhile %p is shown', async (keep, meanwhile) => {
  const made = begin({ keep });
  await jest.advanceTimersByTimeAsync(0);
  which.set(`${keep}`);
  TestBed.tick();
  expect(made.value()).toEqual(meanwhile);
  await jest.advanceTimersByTimeAsync(0);
  expect([asked, made.value()]).toEqual([2, { n: 1 }]);
});

test('asked again later, it shows at once what it knew, and then what is new', async () => {
  begin({ remember: () => 'the question' });
  await jest.advanceTimersByTimeAsync(0);
  answer = () => ({ n: 2 });
  const again = begin({ remember: () => 'the question' });
  expect(again.value()).toEqual({ n: 1 });
  await jest.advanceTimersByTimeAsync(0);
  expect(again.value()).toEqual({ n: 2 });
});

test('after the end nothing is asked any more', async () => {
  begin();
  await jest.advanceTimersByTimeAsync(0);
  TestBed.resetTestingModule();
  const before = asked;
  await jest.advanceTimersByTimeAsync(10_000);
  expect(asked).toBe(before);
});

test('an answer is remembered as that of its own question', async () => {
  const which = signal('a');
  const answer: ((value: string) => void)[] = [];
  const made = TestBed.runInInjectionContext(() =>
    live(
      () => {
        which();
        return new Promise<string>((next) => answer.push(next));
      },
      { remember: () => which() },
    ),
  );
  TestBed.tick();
  which.set('b'); // the effect that asks anew runs a moment later
  answer[0]!('of a');
  await Promise.resolve();
  await Promise.resolve();
  TestBed.tick();
  expect([made.value(), TestBed.inject(Memory).get('b')]).toEqual([null, null]);
});
