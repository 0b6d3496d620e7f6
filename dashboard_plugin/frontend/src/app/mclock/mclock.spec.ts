import { Applied, Capacity } from '../../generated/types';
import { world } from '../../testing/recorded';
import { button, show, until } from '../../testing/settle';
import { MclockComponent } from './mclock.component';

test('proposals are set after a second thought, and put back', async () => {
  const made = world();
  const fixture = show(MclockComponent, made);
  await until(fixture, (text) => text.includes('OSDs with a proposal:'));
  button(fixture, 'Set the measured values…').click();
  await until(fixture, (text) => text.includes('kept, so that they can be restored'));
  expect(made.http.sent).toEqual([]);
  button(fixture, 'Set them').click();
  await until(fixture, (text) => text.includes('Set; OSDs changed:'));
  button(fixture, 'Restore…').click();
  await until(fixture, (text) => text.includes('Values that somebody has changed since stay'));
  button(fixture, 'Restore them').click();
  await until(fixture, (text) => text.includes('Restored; OSDs changed:'));
  expect(made.http.sent.map(([name]) => name)).toEqual([
    'POST mclock/apply',
    'POST mclock/restore',
  ]);
});

test('what a change could not set, or left to somebody else, is told', async () => {
  const made = world();
  const left: Partial<Applied> = {
    changed: [3],
    needs_consent: [2, 1],
    theirs: [{ what: 'config/osd.1/x', was: '500', now: '400', gone: false }],
    waiting: [{ what: 'config/osd.2/x', was: '500', why: 'osd.2 still uses 210' }],
  };
  made.http.change<Applied>('POST mclock/restore', left);
  const fixture = show(MclockComponent, made);
  await until(fixture, (text) => text.includes('Restore…'));
  button(fixture, 'Restore…').click();
  await until(fixture, (text) => text.includes('Values that somebody has changed since stay'));
  button(fixture, 'Restore them').click();
  const text = await until(fixture, (shown) => shown.includes('Restored; OSDs changed: 1.'));
  expect(text).toContain('config/osd.1/x stays 400: somebody else has set it since.');
  expect(text).toContain('config/osd.2/x: osd.2 still uses 210');
  expect(text).toContain('are left as before: the measured value is out of Ceph’s range');
});

test.each<[Capacity['verdict'], string, string]>([
  ['unused', 'No OSD uses mClock', 'No proposals'],
  ['ok', 'close to the measured one for every OSD', 'not every OSD'],
  ['unmeasured', 'No proposals, but not every OSD has a plausible', 'for every OSD'],
])('all OSDs are %s: %s', async (verdict, words, not) => {
  const made = world();
  const [first] = made.http.body<Capacity[]>('GET mclock');
  made.http.on('GET mclock', () => [{ ...first, verdict, proposed: null }]);
  const text = await until(show(MclockComponent, made), (shown) => shown.includes(words));
  expect(text).not.toContain(not);
});
