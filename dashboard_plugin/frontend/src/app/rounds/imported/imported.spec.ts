import { ComponentFixture, TestBed } from '@angular/core/testing';
import { READER, World, world } from '../../../testing/fake-http';
import { button, until } from '../../../testing/settle';
import { RoundComponent } from '../round.component';
import { RoundsComponent } from '../rounds.component';

function open(made: World = world()): ComponentFixture<RoundsComponent> {
  TestBed.configureTestingModule({ providers: made.providers });
  return TestBed.createComponent(RoundsComponent);
}

/** jsdom's input takes no files of ours, and its File has no text(). */
async function choose<T>(fixture: ComponentFixture<T>, text: string, size = 0): Promise<void> {
  await until(fixture, (shown) => shown.includes('Import…'));
  button(fixture, 'Import…').click();
  await until(fixture, (shown) => shown.includes('Measured by'));
  expect(button(fixture, 'Import').disabled).toBe(true);
  const input = (fixture.nativeElement as HTMLElement).querySelector('input[type=file]')!;
  const file = { size: size || text.length, text: () => Promise.resolve(text) };
  Object.defineProperty(input, 'files', { value: [file] });
  input.dispatchEvent(new Event('change'));
  await fixture.whenStable();
  button(fixture, 'Import').click();
}

test('a file of another tool becomes a round, and is shown', async () => {
  const made = world();
  const fixture = open(made);
  await choose(fixture, '{}');
  await until(fixture, () => made.host.route() === '/rounds/13');
  const shown = TestBed.createComponent(RoundComponent);
  shown.componentRef.setInput('id', '13');
  const text = await until(shown, (words) => words.includes('What fio reported'));
  expect(text).toContain('Measured byfio-3.33');
  expect(text).toMatch(/mixed write 1 MiB 287\.1 287\.1 30\.2 12\.1 10\.9 23\.1 40\.2 310/);
  expect(text).not.toContain('OSDs of this round');
  expect(text).not.toContain('History of fio');
});

test('what is no file of the tool is refused in the dialog', async () => {
  const made = world();
  const fixture = open(made);
  await choose(fixture, 'no JSON');
  await until(fixture, (shown) => shown.includes('the results are not JSON'));
  expect(made.host.route()).not.toContain('13');
});

test('a file that is too large does not travel', async () => {
  const made = world();
  const fixture = open(made);
  await choose(fixture, '{}', 8 * 2 ** 20 + 1);
  await until(fixture, (shown) => shown.includes('larger than 8 MiB'));
  expect(made.http.asked.filter((one) => one.includes('import'))).toEqual([]);
});

test('who may only look takes nothing over', async () => {
  const text = await until(open(world({ permissions: READER })), (shown) =>
    shown.includes('1–12 of 12'),
  );
  expect(text).not.toContain('Import…');
});
