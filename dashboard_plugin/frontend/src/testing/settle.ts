import { Type } from '@angular/core';
import { ComponentFixture, TestBed } from '@angular/core/testing';
import { RecordedHttp, World, world } from './recorded';

/** A component over this world, with its inputs. */
export function show<T>(
  component: Type<T>,
  made: World = world(),
  inputs: Readonly<Record<string, unknown>> = {},
): ComponentFixture<T> {
  TestBed.configureTestingModule({ providers: made.providers });
  const fixture = TestBed.createComponent(component);
  for (const [name, value] of Object.entries(inputs)) fixture.componentRef.setInput(name, value);
  return fixture;
}

/**
 * Let all answers come and the view follow until `there` holds; says what was shown when it never does.
 */
export async function until<T>(
  fixture: ComponentFixture<T>,
  there: (text: string) => boolean,
): Promise<string> {
  const deadline = performance.now() + 40_000;
  for (;;) {
    await fixture.whenStable();
    const text = shownText(fixture);
    if (RecordedHttp.unanswered === 0 && there(text)) return text;
    if (performance.now() > deadline) throw new Error(`never shown; there was: ${text}`);
    await new Promise((next) => setTimeout(next, 5));
  }
}

export function shownText<T>(fixture: ComponentFixture<T>): string {
  const element = fixture.nativeElement as HTMLElement;
  return element.textContent.replaceAll(/\s+/g, ' ').trim();
}

/** What stands on lines of its own, and what only who hears the page gets, or nobody. */
const BLOCKS =
  'H1 H2 H3 P LI TR DT DD DIV HEADER SECTION SUMMARY BUTTON LABEL SELECT NAV DL UL OL'.split(' ');

/** What is hidden, or the same for each table. */
const UNTOLD = '[hidden], style, pb-downloads, .pb-table__foot, .pb-table__sign';

/** All that a page says, line by line: texts, cells with bars between them, what pictures show. */
export function linesOf(element: Element): string {
  const parts: string[] = [];
  const inside = (node: Element): void => {
    if (node.matches('[role=img]')) parts.push(`\n[${node.getAttribute('aria-label') ?? ''}]\n`);
    if (node.matches('select')) parts.push(node.value);
    else for (const child of node.childNodes) walk(child);
    if (node.matches('td, th')) parts.push(' | ');
  };
  const walk = (node: Node): void => {
    if (node.nodeType === Node.TEXT_NODE) parts.push(node.textContent ?? '');
    if (!(node instanceof Element) || node.matches(UNTOLD)) return;
    const end = BLOCKS.includes(node.tagName) && !node.closest('th') ? '\n' : '';
    parts.push(end);
    inside(node);
    parts.push(end);
  };
  walk(element);
  const lines = parts.join('').split('\n');
  return lines
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter(Boolean)
    .join('\n');
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

/** Type into the field of this id (without pb-), or choose in it. */
export function type<T>(fixture: ComponentFixture<T>, field: string, text: string): void {
  const element = fixture.nativeElement as HTMLElement;
  const input = element.querySelector<HTMLInputElement>(`#pb-${field}`);
  if (!input) throw new Error(`no field ${field}`);
  input.value = text;
  input.dispatchEvent(new Event(input instanceof HTMLSelectElement ? 'change' : 'input'));
}
