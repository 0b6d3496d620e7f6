import { ModuleOption } from '../../generated/types';
import { world } from '../../testing/recorded';
import { show, until } from '../../testing/settle';
import { SettingsComponent } from './settings.component';

test('options have their values, and their defaults where these differ', async () => {
  const made = world();
  const [first] = made.http.body<ModuleOption[]>('GET option');
  const option = { ...first!, name: 'watch_tick_seconds', type: 'int', value: 10, default: 5 };
  made.http.on('GET option', () => [option], 1);
  const text = await until(show(SettingsComponent, made), (shown) =>
    shown.includes('watch_tick_seconds'),
  );
  expect(text).toMatch(/watch_tick_seconds\s*10\s*Default: 5/);
});
