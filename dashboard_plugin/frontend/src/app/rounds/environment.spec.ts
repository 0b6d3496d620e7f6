import { TestBed } from '@angular/core/testing';
import { world } from '../../testing/fake-http';
import { until } from '../../testing/settle';
import { I18n } from '../i18n/i18n';
import { EnvironmentComponent } from './environment.component';

test('its names are in the tab’s language, its sentences are there once', async () => {
  const made = world();
  made.host.locale.set('de');
  TestBed.configureTestingModule({ providers: made.providers });
  TestBed.inject(I18n); // the frame's, which reads the language
  const fixture = TestBed.createComponent(EnvironmentComponent);
  fixture.componentRef.setInput('environment', {
    fill_percent: 7.5,
    client_read_bytes_per_second: 2 ** 20,
    forced: ['osd.3 is down'],
    forced_said: [{ code: 'osd-down' }],
    new_key: true,
  });
  await until(fixture, (shown) => shown.includes('Füllstand'));
  const facts = [...(fixture.nativeElement as HTMLElement).querySelectorAll('dt')].map((name) => [
    name.textContent,
    name.nextElementSibling?.textContent,
  ]);
  expect(facts).toEqual([
    ['Füllstand %', '7.5'],
    ['Lesen der Clients', '1,0 MiB/s'],
    ['erzwungen trotz', 'osd.3 is down'],
    ['new key', 'true'],
  ]);
});
