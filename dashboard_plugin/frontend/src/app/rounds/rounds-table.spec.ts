import { TestBed } from '@angular/core/testing';
import { RoundLine } from '../../generated/types';
import { world } from '../../testing/fake-http';
import { until } from '../../testing/settle';
import { RoundsListComponent } from './rounds-list.component';
import { RoundsTableComponent } from './rounds-table.component';

const LINE: RoundLine = {
  id: 3,
  profile: 'osd-iops',
  kind: 'osd',
  state: 'done',
  verdict: 'valid',
  label: '',
  created_at: null,
  started_at: null,
  ended_at: null,
  took_seconds: null,
  summary: {},
  unreadable: null,
  block_size: 4096,
};

async function cells(row: RoundLine): Promise<string> {
  TestBed.configureTestingModule({ providers: world().providers });
  const fixture = TestBed.createComponent(RoundsTableComponent);
  fixture.componentRef.setInput('rows', [row]);
  await fixture.whenStable();
  return (fixture.nativeElement as HTMLElement).querySelector('tbody')!.textContent;
}

test('a round that cannot be read says so, with the reason', async () => {
  const text = await cells({ ...LINE, unreadable: 'summary is no JSON' });
  expect(text).toContain('unreadable');
  expect(text).toContain('summary is no JSON');
  expect(text).not.toContain('valid');
});

test('any other has its verdict', async () => {
  const text = await cells(LINE);
  expect(text).toContain('valid');
  expect(text).not.toContain('unreadable');
});

test('its slowest OSD stands apart from how it compares', async () => {
  const summary = { slowest_osd: 72, slowest_percent_of_peers: 34 };
  expect(await cells({ ...LINE, summary })).toContain('osd.72 34 %');
});

/** Rounds by their profiles, as the fake back end lists them. */
async function list() {
  const made = world({ rounds: 12 });
  TestBed.configureTestingModule({ providers: made.providers });
  const fixture = TestBed.createComponent(RoundsListComponent);
  fixture.componentRef.setInput('heading', 'Rounds');
  await until(fixture, (text) => text.includes('osd-iops'));
  return { made, fixture, element: fixture.nativeElement as HTMLElement };
}

test('each round has its median in its own unit, at any width', async () => {
  const { element } = await list();
  const rows = [...element.querySelectorAll('tbody tr')].map((row) => row.textContent);
  const iops = rows.filter((text) => text.includes('osd-iops'));
  const throughput = rows.filter((text) => text.includes('osd-throughput'));
  expect(iops.length * throughput.length).toBeGreaterThan(0);
  for (const text of iops) expect(text).toMatch(/\d IOPS/);
  for (const text of throughput) expect(text).toMatch(/\d MiB\/s/);
  for (const text of [...iops, ...throughput]) expect(text).not.toMatch(/IOPS.*MiB|MiB.*IOPS/);
  const median = [...element.querySelectorAll('th')].find((head) =>
    head.textContent.includes('Median'),
  );
  expect(median?.classList.contains('pb-table__minor')).toBe(false);
});

test('every column that sorts is one that the back end sorts by', async () => {
  const { made, fixture, element } = await list();
  const keys = new Set<string>();
  for (let at = 0; ; at++) {
    const heads = element.querySelectorAll<HTMLButtonElement>('th[aria-sort] button');
    const head = heads[at];
    if (!head) break;
    const asked = made.http.asked.length;
    head.click();
    await until(fixture, () => made.http.asked.length > asked);
    await fixture.whenStable();
    keys.add(/sort=%2B(\w+)|sort=-(\w+)/.exec(made.http.asked.at(-1)!)?.slice(1).join('') ?? '');
    expect(element.querySelector('[role=alert], .pb-notice')?.textContent ?? '').toBe('');
  }
  expect([...keys].sort()).toEqual([
    'id',
    'label',
    'profile',
    'started_at',
    'took_seconds',
    'verdict',
  ]);
});
