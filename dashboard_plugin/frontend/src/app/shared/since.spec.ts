import { jest } from '@jest/globals';
import { TestBed } from '@angular/core/testing';
import { shownText } from '../../testing/settle';
import { HostSettings } from '../core/host-settings';
import { SinceComponent } from './since.component';
import { TimeComponent } from './time.component';

const PROVIDERS = [{ provide: HostSettings, useFactory: () => new HostSettings(() => undefined) }];

test.each([
  [0, false],
  [-60, true],
  [300, true],
])('UTC is said where local time is %p minutes from it: %p', async (minutes, said) => {
  jest.spyOn(Date.prototype, 'getTimezoneOffset').mockReturnValue(minutes);
  TestBed.configureTestingModule({ providers: PROVIDERS });
  const fixture = TestBed.createComponent(SinceComponent);
  fixture.componentRef.setInput('at', '2026-11-21T02:04:05Z');
  await fixture.whenStable();
  const text = (fixture.nativeElement as HTMLElement).textContent;
  expect(text.includes(', 2026-11-21 02:04:05 UTC)')).toBe(said);
  jest.restoreAllMocks();
});

test('a moment has spaces between its parts alone', async () => {
  TestBed.configureTestingModule({ providers: PROVIDERS });
  const fixture = TestBed.createComponent(TimeComponent);
  fixture.componentRef.setInput('at', '2026-11-21T02:04:05Z');
  await fixture.whenStable();
  const text = (fixture.nativeElement as HTMLElement).textContent;
  expect(text).toMatch(/^Nov 21, 2026, [\d:]+ \S+$/);
});

test('an age grows while the page stays open', async () => {
  jest.useFakeTimers({ now: Date.parse('2026-11-21T02:10:00Z') });
  try {
    TestBed.configureTestingModule({ providers: PROVIDERS });
    const fixture = TestBed.createComponent(SinceComponent);
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
