import { ComponentFixture, TestBed } from '@angular/core/testing';
import { READER, World, world } from '../../testing/fake-http';
import { button, until } from '../../testing/settle';
import { SettingsComponent } from './settings.component';

function show(made: World): ComponentFixture<SettingsComponent> {
  TestBed.configureTestingModule({ providers: made.providers });
  return TestBed.createComponent(SettingsComponent);
}

test('options with their values, and the thresholds in effect', async () => {
  const text = await until(
    show(world()),
    (shown) => shown.includes('acute_z') && shown.includes('watch_tick_seconds'),
  );
  expect(text).toContain('Raise the health check PERF_BENCH_SLOW_OSD.');
  expect(text).toContain('5.5');
});

test('who may not change them sees them', async () => {
  const text = await until(show(world({ permissions: READER })), (shown) =>
    shown.includes('watch_tick_seconds'),
  );
  expect(text).not.toContain('Change…');
  expect(text).toContain('update of the scope config-opt');
});

test('a value is set; what the module refuses is said, and changes nothing', async () => {
  const made = world();
  const fixture = show(made);
  await until(fixture, (shown) => shown.includes('watch_tick_seconds'));
  const all = [...(fixture.nativeElement as HTMLElement).querySelectorAll('button')];
  all.find((one) => one.ariaLabel === 'Change watch_tick_seconds')?.click();
  await until(fixture, (shown) => shown.includes('From 1 to 60.'));
  const field = (fixture.nativeElement as HTMLElement).querySelector<HTMLInputElement>(
    '#pb-option',
  )!;
  const type = (value: string): void => {
    field.value = value;
    field.dispatchEvent(new Event('input'));
    fixture.detectChanges();
    button(fixture, 'Set the value').click();
  };
  type('99');
  await until(fixture, (shown) => shown.includes('a whole number from 1 to 60'));
  type('10');
  await until(fixture, (shown) => shown.includes('watch_tick_seconds is now 10.'));
  expect(made.http.asked).toContain('POST option/watch_tick_seconds/value');
  expect(made.http.answers.options.all[1]?.value).toBe(10);
});

test('a page that was left asks nothing any more, also where an option was just set', async () => {
  const made = world();
  const fixture = show(made);
  await until(fixture, (shown) => shown.includes('watch_tick_seconds'));
  button(fixture, 'Change watch_tick_seconds').click();
  await until(fixture, (shown) => shown.includes('From 1 to 60.'));
  const field = (fixture.nativeElement as HTMLElement).querySelector<HTMLInputElement>(
    '#pb-option',
  )!;
  field.value = '10';
  field.dispatchEvent(new Event('input'));
  await fixture.whenStable();
  button(fixture, 'Set the value').click();
  await until(fixture, (shown) => shown.includes('watch_tick_seconds is now 10.'));
  fixture.destroy();
  const before = made.http.asked.length;
  await new Promise((next) => setTimeout(next, 1500)); // it is read anew after a second
  expect(made.http.asked.slice(before)).toEqual([]);
});
