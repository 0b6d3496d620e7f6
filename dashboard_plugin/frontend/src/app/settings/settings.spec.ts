import { world } from '../../testing/recorded';
import { button, show, type, until } from '../../testing/settle';
import { SettingsComponent } from './settings.component';

test('a value is set; what the module refuses is said, and changes nothing', async () => {
  const made = world();
  const fixture = show(SettingsComponent, made);
  await until(fixture, (text) => text.includes('watch_tick_seconds'));
  button(fixture, 'Change watch_tick_seconds').click();
  await until(fixture, (text) => text.includes('From 1 to 60.'));
  const sets = (value: string): void => {
    type(fixture, 'option', value);
    fixture.detectChanges();
    button(fixture, 'Set the value').click();
  };
  sets('1000');
  await until(fixture, (text) => text.includes('60'));
  expect(made.http.sent.at(-1)).toEqual([
    'POST option/watch_tick_seconds/value',
    { value: '1000' },
  ]);
  sets('10');
  await until(fixture, (text) => text.includes('watch_tick_seconds is now 10.'));
  fixture.destroy();
  const before = made.http.asked.length;
  await new Promise((next) => setTimeout(next, 1500)); // it is read anew after a second
  expect(made.http.asked.slice(before)).toEqual([]);
});
