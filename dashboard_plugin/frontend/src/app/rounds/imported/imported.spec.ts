import { ComponentFixture } from '@angular/core/testing';
import { world } from '../../../testing/recorded';
import { button, show, until } from '../../../testing/settle';
import { ImportDialogComponent } from './import-dialog.component';

/** jsdom's input takes no files of ours, and its File has no text(). */
async function choose<T>(fixture: ComponentFixture<T>, text: string, size = 0): Promise<void> {
  await until(fixture, (shown) => shown.includes('Measured by'));
  const input = (fixture.nativeElement as HTMLElement).querySelector('input[type=file]')!;
  const file = { size: size || text.length, text: () => Promise.resolve(text) };
  Object.defineProperty(input, 'files', { value: [file], configurable: true });
  input.dispatchEvent(new Event('change'));
  await fixture.whenStable();
  button(fixture, 'Import').click();
}

test('a file that is refused says why; one that is taken becomes a round, which is shown', async () => {
  const made = world();
  const fixture = show(ImportDialogComponent, made);
  await until(fixture, (shown) => shown.includes('Measured by'));
  expect(button(fixture, 'Import').disabled).toBe(true);
  await choose(fixture, '{}', 8 * 2 ** 20 + 1);
  await until(fixture, (shown) => shown.includes('larger than 8 MiB'));
  expect(made.http.sent).toEqual([]);
  await choose(fixture, '{}'); // as recorded: it is no output of fio
  await until(fixture, (shown) => shown.includes('fio') && made.http.sent.length === 1);
  expect(made.host.route()).toBe('/');
  made.http.on('POST round/import', () => ({ id: 13 }));
  await choose(fixture, '{"jobs": []}');
  await until(fixture, () => made.host.route() === '/rounds/13');
});
