import { ComponentFixture, TestBed } from '@angular/core/testing';
import { World, world } from '../../testing/fake-http';
import { button, shownText, until } from '../../testing/settle';
import { StartDialogComponent } from './start-dialog.component';

function open(made: World = world()): ComponentFixture<StartDialogComponent> {
  TestBed.configureTestingModule({ providers: made.providers });
  return TestBed.createComponent(StartDialogComponent);
}

function type(fixture: ComponentFixture<StartDialogComponent>, field: string, text: string): void {
  const element = fixture.nativeElement as HTMLElement;
  const input = element.querySelector<HTMLInputElement>(`#pb-${field}`)!;
  input.value = text;
  input.dispatchEvent(new Event('input'));
}

const START = 'Start the round';
const PLANNED = '8 waves × 3 repeats';

test('the button sleeps until the plan is there; then the round starts and is shown', async () => {
  const made = world();
  const fixture = open(made);
  await until(fixture, (text) => text.includes('Working out the plan'));
  expect(button(fixture, START).disabled).toBe(true);
  await until(fixture, (text) => text.includes(PLANNED));
  button(fixture, START).click();
  await until(fixture, () => made.host.route() === '/rounds/13');
  expect(made.http.answers.active?.id).toBe(13);
});

test('another wish, another plan: the button sleeps again', async () => {
  const fixture = open();
  await until(fixture, (text) => text.includes(PLANNED));
  type(fixture, 'osds', '0,1');
  await fixture.whenStable();
  expect(button(fixture, START).disabled).toBe(true);
  await until(fixture, (text) => text.includes('2: osd.0, osd.1'));
  expect(button(fixture, START).disabled).toBe(false);
});

test.each([
  ['osds', 'some', "'some' does not select OSDs"],
  ['osds', '0,999', 'osd.999: no such OSD'],
  ['repeats', '0', 'Repeats are a whole number from 1 on.'],
  ['repeats', '101', '--repeats 101 is not within 1 to 100'],
  ['size', 'much', 'A size is a number with'],
  ['size', '1 GiB', 'osd_bench_max_block_size of 67108864 bytes'],
])('%s of %p is refused beside the field: %s', async (field, value, words) => {
  const fixture = open();
  await until(fixture, (text) => text.includes(PLANNED));
  type(fixture, field, value);
  await until(fixture, (text) => text.includes(words));
  const element = fixture.nativeElement as HTMLElement;
  expect(element.querySelector(`#pb-${field}`)?.getAttribute('aria-invalid')).toBe('true');
  expect(button(fixture, START).disabled).toBe(true);
});

test('what would be refused says why, and takes a second thought', async () => {
  const made = world();
  const fixture = open(made);
  await until(fixture, (text) => text.includes(PLANNED));
  type(fixture, 'osds', '13');
  await until(fixture, (text) => text.includes('osd.13 nearfull'));
  expect(button(fixture, START).disabled).toBe(true);
  (fixture.nativeElement as HTMLElement)
    .querySelector<HTMLInputElement>('input[type=checkbox]')!
    .click();
  await fixture.whenStable();
  expect(button(fixture, START).disabled).toBe(false);
});

test('somebody else was faster: a sentence, and the way to that round', async () => {
  const made = world();
  const fixture = open(made);
  await until(fixture, (text) => text.includes(PLANNED));
  made.http.answers.start({ profile: 'osd-iops' });
  button(fixture, START).click();
  await until(fixture, (text) => text.includes('round 13 is running'));
  await until(fixture, (text) => text.includes('Show the running round'));
  expect(shownText(fixture)).toContain(PLANNED);
});
