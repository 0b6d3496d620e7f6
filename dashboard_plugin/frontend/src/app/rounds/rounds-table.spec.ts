import { RoundLine } from '../../generated/types';
import { world } from '../../testing/recorded';
import { show, until } from '../../testing/settle';
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
  const fixture = show(RoundsTableComponent, world(), { rows: [row] });
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

test('every column that sorts is one that the back end sorts by', async () => {
  const made = world();
  const fixture = show(RoundsListComponent, made, { heading: 'Rounds' });
  await until(fixture, (text) => text.includes('osd-iops'));
  const element = fixture.nativeElement as HTMLElement;
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
