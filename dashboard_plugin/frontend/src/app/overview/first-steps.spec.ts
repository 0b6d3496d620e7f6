import { TestBed } from '@angular/core/testing';
import { world } from '../../testing/fake-http';
import { until } from '../../testing/settle';
import { FirstStepsComponent } from './first-steps.component';

test('the facts of all hosts are counted, more than one answer has', async () => {
  const made = world({ rounds: 0 });
  const { hardware } = made.http.answers;
  const [first] = hardware.hosts();
  hardware.hosts = () =>
    Array.from({ length: 510 }, (_, at) => ({
      ...first!,
      host: `host-${at}`,
      collected_at: at < 509 ? '2026-01-01T00:00:00Z' : null,
    }));
  TestBed.configureTestingModule({ providers: made.providers });
  const fixture = TestBed.createComponent(FirstStepsComponent);
  const text = await until(fixture, (shown) => shown.includes('of 510'));
  expect(text).toContain('509 of 510');
});
