import { jest } from '@jest/globals';
import { button, show, until } from '../../testing/settle';
import { CommandComponent } from './command.component';

const copies = jest.fn<(text: string) => Promise<void>>();

test.each([
  ['by the clipboard', () => Promise.resolve(), true],
  ['by hand where the browser keeps the clipboard', () => Promise.reject(new Error('no')), true],
  ['and nothing is said when it was not', () => Promise.reject(new Error('no')), false],
])('a command is copied: %s', async (_, clipboard, byHand) => {
  copies.mockReset().mockImplementation(clipboard);
  const selected: string[] = [];
  Object.assign(navigator, { clipboard: { writeText: copies } });
  Object.assign(document, {
    execCommand: () => {
      selected.push(document.querySelector('textarea')?.value ?? '');
      return byHand;
    },
  });
  const fixture = show(CommandComponent, undefined, { text: 'ceph -s' });
  document.body.append(fixture.nativeElement as HTMLElement);
  await until(fixture, (text) => text.includes('Copy'));
  button(fixture, 'Copy ceph -s').click();
  const told = (text: string): boolean => copies.mock.calls.length > 0 && text.includes('Copied');
  await until(fixture, (text) => (byHand ? told(text) : copies.mock.calls.length > 0));
  expect(copies).toHaveBeenCalledWith('ceph -s');
  expect(selected.every((text) => text === 'ceph -s')).toBe(true);
  fixture.destroy();
});
