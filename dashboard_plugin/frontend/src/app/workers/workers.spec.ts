import { ComponentFixture, TestBed } from '@angular/core/testing';
import { World, world } from '../../testing/fake-http';
import { until } from '../../testing/settle';
import { WorkersComponent } from './workers.component';

function open(made: World = world()): ComponentFixture<WorkersComponent> {
  TestBed.configureTestingModule({ providers: made.providers });
  return TestBed.createComponent(WorkersComponent);
}

test('workers with their state and clock', async () => {
  const fixture = open();
  const text = await until(fixture, (shown) => shown.includes('node-3'));
  expect(text).toContain('✓ ready');
  expect(text).toContain('+1.3 ± 0.8 ms');
  expect(text).toContain('✕ lost');
  expect(text).toContain('it does not answer');
});

test('none is a sentence, and how to start one', async () => {
  const made = world();
  made.http.answers.hardware.workers = () => [];
  const text = await until(open(made), (shown) => shown.includes('No worker is connected'));
  expect(text).toContain('ceph-perf-bench worker');
});
