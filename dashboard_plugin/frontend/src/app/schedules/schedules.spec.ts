import { ComponentFixture, TestBed } from '@angular/core/testing';
import { READER, World, world } from '../../testing/fake-http';
import { button, until } from '../../testing/settle';
import { emptyFields, scheduleRequest } from './schedule-form';
import { SchedulesComponent } from './schedules.component';

function open(made: World = world()): ComponentFixture<SchedulesComponent> {
  TestBed.configureTestingModule({ providers: made.providers });
  return TestBed.createComponent(SchedulesComponent);
}

async function adds(
  fixture: ComponentFixture<SchedulesComponent>,
  fields: Readonly<Record<string, string>>,
): Promise<void> {
  await until(fixture, (text) => text.includes('nightly'));
  button(fixture, 'Add a schedule…').click();
  await until(fixture, (text) => text.includes('At intervals'));
  const element = fixture.nativeElement as HTMLElement;
  for (const [name, value] of Object.entries(fields)) {
    const input = element.querySelector<HTMLInputElement>(`#pb-${name}`)!;
    input.value = value;
    input.dispatchEvent(new Event('input'));
  }
  await fixture.whenStable();
  button(fixture, 'Add the schedule').click();
}

test('what runs when, what became of it, and what keeps it', async () => {
  const text = await until(open(), (shown) => shown.includes('weekly'));
  expect(text).toContain('every 1d, within 01:00-05:00, UTC');
  expect(text).toContain('Round 12 valid');
  expect(text).toContain('osd-iops, class=hddcron 0 3 * * 6, Europe/Berlin');
  expect(text).toContain('Refused 4 times, retried until');
  expect(text).toContain('clients use 31 %');
  expect(text).toContain('‖ paused');
  expect(text).toContain('missed runs are skipped');
  expect(text).toContain('Has not started since');
});

test('one is paused, and goes on', async () => {
  const made = world();
  const fixture = open(made);
  await until(fixture, (text) => text.includes('nightly'));
  button(fixture, 'Pause nightly').click();
  await until(fixture, () => made.http.answers.schedules.kept.get('nightly')!.paused);
  await until(fixture, (text) => text.match(/‖ paused/g)?.length === 2);
  button(fixture, 'Resume nightly').click();
  await until(fixture, (text) => text.match(/‖ paused/g)?.length === 1);
});

test('one is removed after a second thought', async () => {
  const made = world();
  const fixture = open(made);
  await until(fixture, (text) => text.includes('nightly'));
  button(fixture, 'Remove nightly…').click();
  await until(fixture, (text) => text.includes('Remove the schedule nightly?'));
  expect(made.http.answers.schedules.kept.has('nightly')).toBe(true);
  button(fixture, 'Remove it').click();
  await until(fixture, (text) => !text.includes('nightly'));
});

test('one that somebody else has removed: a sentence', async () => {
  const made = world();
  const fixture = open(made);
  await until(fixture, (text) => text.includes('nightly'));
  made.http.answers.schedules.remove('nightly');
  button(fixture, 'Pause nightly').click();
  await until(fixture, (text) => text.includes("there is no schedule 'nightly'"));
});

test('a new one, by interval', async () => {
  const made = world();
  const fixture = open(made);
  await adds(fixture, { name: 'new', every: '6h', window: '22:00-06:00', osds: 'class=hdd' });
  await until(fixture, (text) => text.includes('every 6h, within 22:00-06:00'));
  expect(made.http.answers.schedules.kept.get('new')).toMatchObject({
    profile: 'osd-throughput',
    cron: null,
    osds: 'class=hdd',
  });
});

test('a new one, by the clock', async () => {
  const made = world();
  const fixture = open(made);
  await until(fixture, (text) => text.includes('nightly'));
  button(fixture, 'Add a schedule…').click();
  await until(fixture, (text) => text.includes('At intervals'));
  (fixture.nativeElement as HTMLElement)
    .querySelectorAll<HTMLInputElement>('input[type=radio]')[1]!
    .click();
  await until(fixture, (text) => text.includes('day of the week'));
  const element = fixture.nativeElement as HTMLElement;
  expect(element.querySelector('#pb-every')).toBeNull();
  const name = element.querySelector<HTMLInputElement>('#pb-name')!;
  name.value = 'sunday';
  name.dispatchEvent(new Event('input'));
  button(fixture, 'Add the schedule').click();
  await until(fixture, () => made.http.answers.schedules.kept.get('sunday')?.cron === '0 3 * * 6');
});

test.each([
  ['name', 'nightly', "there is a schedule 'nightly'"],
  ['name', '', "'name' is needed"],
  ['every', 'often', "'often' is not a time"],
  ['window', 'night', "'night' is no window"],
  ['timezone', 'here', "'here' is not a time zone"],
])('%s of %p is refused beside the field: %s', async (field, value, words) => {
  const fixture = open();
  await adds(fixture, { name: 'new', [field]: value });
  await until(fixture, (text) => text.includes(words));
  const element = fixture.nativeElement as HTMLElement;
  expect(element.querySelector(`#pb-${field}`)?.getAttribute('aria-invalid')).toBe('true');
});

test('who may only read sees them and can do nothing', async () => {
  const fixture = open(world({ permissions: READER }));
  await until(fixture, (text) => text.includes('nightly'));
  expect((fixture.nativeElement as HTMLElement).querySelectorAll('button')).toHaveLength(0);
});

test.each([
  ['', 'No schedule: rounds run only when somebody starts them.'],
  ['broken', 'perf_bench met an error of its own'],
])('no schedule, mode %p: %s', async (mode, words) => {
  const made = world({ rounds: 0 });
  made.http.answers.mode = mode;
  await until(open(made), (text) => text.includes(words));
});

test('only the way that was chosen is sent, without blanks around', () => {
  const fields = { ...emptyFields('UTC'), name: ' a ', by: 'cron' as const };
  expect(scheduleRequest(fields)).toMatchObject({ name: 'a', every: '', cron: '0 3 * * 6' });
  expect(scheduleRequest({ ...fields, by: 'every' })).toMatchObject({ every: '1d', cron: '' });
});
