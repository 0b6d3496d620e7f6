import { TestBed } from '@angular/core/testing';
import { world } from '../../testing/fake-http';
import { until } from '../../testing/settle';
import { EnvironmentComponent } from './environment.component';

test('keys become words, rates have their unit', async () => {
  const made = world();
  TestBed.configureTestingModule({ providers: made.providers });
  const fixture = TestBed.createComponent(EnvironmentComponent);
  fixture.componentRef.setInput('environment', {
    fill_percent: 7.5,
    client_read_bytes_per_second: 2 ** 20,
    forced: ['osd.3 is down'],
    new_key: true,
  });
  await until(fixture, (shown) => shown.includes('fill'));
  const facts = [...(fixture.nativeElement as HTMLElement).querySelectorAll('dt')].map((name) => [
    name.textContent,
    name.nextElementSibling?.textContent,
  ]);
  expect(facts).toEqual([
    ['fill %', '7.5'],
    ['client read', '1.0 MiB/s'],
    ['forced', 'osd.3 is down'],
    ['new key', 'true'],
  ]);
});
