import { ComponentFixture } from '@angular/core/testing';
import { FakeHttp } from './fake-http';

/**
 * Let all answers come and the view follow until `there` holds; says what was shown when it never does.
 */
export async function until<T>(
  fixture: ComponentFixture<T>,
  there: (text: string) => boolean,
): Promise<string> {
  const deadline = Date.now() + 40_000;
  for (;;) {
    await fixture.whenStable();
    const text = shownText(fixture);
    if (FakeHttp.unanswered === 0 && there(text)) return text;
    if (Date.now() > deadline) throw new Error(`never shown; there was: ${text}`);
    await new Promise((next) => setTimeout(next, 5));
  }
}

export function shownText<T>(fixture: ComponentFixture<T>): string {
  const element = fixture.nativeElement as HTMLElement;
  return element.textContent.replaceAll(/\s+/g, ' ').trim();
}

/** The button of this name, enabled or not. */
export function button<T>(fixture: ComponentFixture<T>, name: string): HTMLButtonElement {
  const element = fixture.nativeElement as HTMLElement;
  const found = [...element.querySelectorAll('button')].find(
    (one) => one.textContent.trim() === name || one.getAttribute('aria-label') === name,
  );
  if (!found) throw new Error(`no button ${name}`);
  return found;
}
