import { ComponentFixture, TestBed } from '@angular/core/testing';
import { World, world } from '../../testing/fake-http';
import { until } from '../../testing/settle';
import { PathsComponent } from './paths.component';

function open(made: World = world()): ComponentFixture<PathsComponent> {
  TestBed.configureTestingModule({ providers: made.providers });
  return TestBed.createComponent(PathsComponent);
}

test('disks with their paths: those that carry data of those there should be', async () => {
  const fixture = open();
  await until(fixture, (text) => text.includes('mpath3'));
  const rows = [...(fixture.nativeElement as HTMLElement).querySelectorAll('tbody tr')].map((row) =>
    row.textContent.replaceAll(/\s+/g, ' ').trim(),
  );
  expect(rows[0]).toMatch(/^osd\.0 host-0 ✓ ok 2 of 2 0 \w+ \(0:0:0:0\), \w+ \(1:0:0:0\) mpath0/);
  expect(rows[1]).toMatch(/! degraded 1 of 2 .* failed, /);
  expect(rows[2]).toContain('↕ flapping');
  expect(rows[3]).toContain('! bypasses multipath');
});

test('nothing known says how to let it be known', async () => {
  const text = await until(open(world({ osds: 0 })), (shown) =>
    shown.includes('No multipath disk'),
  );
  expect(text).toContain('ceph-perf-bench facts --push');
});
