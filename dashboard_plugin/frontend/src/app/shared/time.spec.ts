import { jest } from '@jest/globals';
import { TestBed } from '@angular/core/testing';
import { shownText } from '../../testing/settle';
import { HostSettings } from '../core/host-settings';
import { TimeComponent } from './time.component';

const PROVIDERS = [{ provide: HostSettings, useFactory: () => new HostSettings(() => undefined) }];

test.each([
  [0, false],
  [-60, true],
  [300, true],
])('UTC is said where local time is %p minutes from it: %p', async (minutes, said) => {
  jest.spyOn(Date.prototype, 'getTimezoneOffset').mockReturnValue(minutes);
  TestBed.configureTestingModule({ providers: PROVIDERS });
  const fixture = TestBed.createComponent(TimeComponent);
  fixture.componentRef.setInput('at', '2026-11-21T02:04:05Z');
  await fixture.whenStable();
  const time = (fixture.nativeElement as HTMLElement).querySelector('time');
  expect(time?.title.endsWith(', 2026-11-21 02:04:05 UTC')).toBe(said);
  jest.restoreAllMocks();
});

test.each([
  ['2026-11-21T02:04:00Z', false, '6 min ago'],
  ['2026-11-21T02:04:00Z', true, 'for 6 min'],
  ['2026-11-21T02:09:55Z', false, 'just now'],
  ['2026-11-21T16:10:00Z', false, 'in 14 h'],
  [null, false, '–'],
])('%s, lasting %p: %s', async (at, lasting, words) => {
  jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-11-21T02:10:00Z'));
  TestBed.configureTestingModule({ providers: PROVIDERS });
  const fixture = TestBed.createComponent(TimeComponent);
  fixture.componentRef.setInput('at', at);
  fixture.componentRef.setInput('lasting', lasting);
  await fixture.whenStable();
  expect(shownText(fixture)).toBe(words);
  jest.restoreAllMocks();
});

test('an age grows while the page stays open', async () => {
  jest.useFakeTimers({ now: Date.parse('2026-11-21T02:10:00Z') });
  try {
    TestBed.configureTestingModule({ providers: PROVIDERS });
    const fixture = TestBed.createComponent(TimeComponent);
    fixture.componentRef.setInput('at', '2026-11-21T02:04:00Z');
    fixture.detectChanges();
    expect(shownText(fixture)).toContain('6 min');
    await jest.advanceTimersByTimeAsync(5 * 3600_000);
    fixture.detectChanges();
    expect(shownText(fixture)).toContain('5 h');
  } finally {
    TestBed.resetTestingModule();
    jest.useRealTimers();
  }
});
