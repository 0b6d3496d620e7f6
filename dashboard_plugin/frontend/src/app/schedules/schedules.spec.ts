import { ComponentFixture } from '@angular/core/testing';
import { Schedule } from '../../generated/types';
import { World, world } from '../../testing/recorded';
import { button, show, type, until } from '../../testing/settle';
import { Refusal } from '../core/refusal';
import { emptyFields, scheduleRequest } from './schedule-form';
import { SchedulesComponent } from './schedules.component';

async function opened(made: World): Promise<ComponentFixture<SchedulesComponent>> {
  const fixture = show(SchedulesComponent, made);
  await until(fixture, (text) => text.includes('nightly'));
  return fixture;
}

test('one is paused, goes on, and is removed after a second thought', async () => {
  const made = world();
  const fixture = await opened(made);
  button(fixture, 'Pause nightly').click();
  made.http.change<Schedule[]>('GET schedule', (rows) =>
    rows.map((one) => ({ ...one, paused: true })),
  );
  await until(fixture, () => made.http.asked.includes('POST schedule/nightly/pause'));
  await until(fixture, (text) => text.match(/‖ paused/g)?.length === 2);
  button(fixture, 'Remove nightly…').click();
  await until(fixture, (text) => text.includes('Remove the schedule nightly?'));
  made.http.on('DELETE schedule/nightly', () => null);
  made.http.on('GET schedule', () => []);
  button(fixture, 'Remove it').click();
  await until(fixture, (text) => text.includes('No schedule: rounds run only when somebody'));
  expect(made.http.asked).toContain('DELETE schedule/nightly');
});

test('a new one, by interval or by the clock; what is wrong stands beside its field', async () => {
  const made = world();
  const fixture = await opened(made);
  button(fixture, 'Add a schedule…').click();
  await until(fixture, (text) => text.includes('At intervals'));
  type(fixture, 'name', 'wrong');
  type(fixture, 'every', '1s');
  await fixture.whenStable();
  made.http.on('GET schedule', () => []);
  made.http.refuses = ({ name }) =>
    name === 'POST schedule' ? new Refusal('bad-request', 'too often', '', 'every') : null;
  button(fixture, 'Add the schedule').click();
  await until(fixture, (text) => text.includes('too often'));
  const element = fixture.nativeElement as HTMLElement;
  expect(element.querySelector('#pb-every')?.getAttribute('aria-invalid')).toBe('true');
  made.http.refuses = () => null;
  element.querySelectorAll<HTMLInputElement>('input[type=radio]')[1]!.click();
  await until(fixture, (text) => text.includes('day of the week'));
  expect(element.querySelector('#pb-every')).toBeNull();
  type(fixture, 'name', 'new');
  await fixture.whenStable();
  button(fixture, 'Add the schedule').click();
  await until(fixture, () => made.http.sent.length === 2);
  expect(made.http.sent[1]?.[1]).toMatchObject({ name: 'new', every: '', cron: '0 3 * * 6' });
});

test('only the way that was chosen is sent, without blanks around', () => {
  const fields = { ...emptyFields('UTC'), name: ' a ', by: 'cron' as const };
  expect(scheduleRequest(fields)).toMatchObject({ name: 'a', every: '', cron: '0 3 * * 6' });
  expect(scheduleRequest({ ...fields, by: 'every' })).toMatchObject({ every: '1d', cron: '' });
});
