import { ComponentFixture, TestBed } from '@angular/core/testing';
import { Refusal } from '../core/refusal';
import { World, world } from '../../testing/fake-http';
import { button, shownText, until } from '../../testing/settle';
import { StartDialogComponent } from './start-dialog.component';
import { EMPTY, request } from './start-form';

function open(made: World = world()): ComponentFixture<StartDialogComponent> {
  TestBed.configureTestingModule({ providers: made.providers });
  return TestBed.createComponent(StartDialogComponent);
}

function type(fixture: ComponentFixture<StartDialogComponent>, field: string, text: string): void {
  const element = fixture.nativeElement as HTMLElement;
  const input = element.querySelector<HTMLInputElement>(`#pb-${field}`)!;
  input.value = text;
  input.dispatchEvent(new Event('input'));
}

const START = 'Start the round';
const PLANNED = '8 waves × 3 repeats';

test('the button sleeps until the plan is there; then the round starts and is shown', async () => {
  const made = world();
  const fixture = open(made);
  await until(fixture, (text) => text.includes('Calculating the plan'));
  expect(button(fixture, START).disabled).toBe(true);
  await until(fixture, (text) => text.includes(PLANNED));
  button(fixture, START).click();
  await until(fixture, () => made.host.route() === '/rounds/13');
  expect(made.http.answers.active?.id).toBe(13);
});

test('another wish, another plan: the button sleeps again', async () => {
  const fixture = open();
  await until(fixture, (text) => text.includes(PLANNED));
  type(fixture, 'osds', '0,1');
  await fixture.whenStable();
  expect(button(fixture, START).disabled).toBe(true);
  await until(fixture, (text) => text.includes('2: osd.0, osd.1'));
  expect(button(fixture, START).disabled).toBe(false);
});

test.each([
  ['osds', 'some', "'some' does not select OSDs"],
  ['osds', '0,999', 'osd.999: no such OSD'],
  ['repeats', '0', 'Enter a whole number of repeats from 1.'],
  ['repeats', '101', '“Repeats” 101 is not within 1 to 100'],
  ['max_repeats', '2', '“Most repeats” 2 is less than the 3 repeats'],
  ['size', 'much', 'A size is a number with'],
  ['size', '1 GiB', 'osd_bench_max_block_size of 64 MiB'],
])('%s of %p is refused beside the field: %s', async (field, value, words) => {
  const fixture = open();
  await until(fixture, (text) => text.includes(PLANNED));
  type(fixture, field, value);
  await until(fixture, (text) => text.includes(words));
  const element = fixture.nativeElement as HTMLElement;
  expect(element.querySelector(`#pb-${field}`)?.getAttribute('aria-invalid')).toBe('true');
  expect(button(fixture, START).disabled).toBe(true);
});

test('a refusal goes with the field that it was of, also where another is wrong then', async () => {
  const fixture = open();
  await until(fixture, (text) => text.includes(PLANNED));
  type(fixture, 'osds', '0,999');
  await until(fixture, (text) => text.includes('osd.999: no such OSD'));
  type(fixture, 'osds', '');
  type(fixture, 'repeats', '0');
  const text = await until(fixture, (shown) => shown.includes('no plan before the fields'));
  expect(text).not.toContain('no such OSD');
  const osds = (fixture.nativeElement as HTMLElement).querySelector('#pb-osds');
  expect(osds?.getAttribute('aria-invalid')).not.toBe('true');
});

test('wrong fields are told together', async () => {
  const fixture = open();
  await until(fixture, (text) => text.includes(PLANNED));
  type(fixture, 'repeats', '0');
  type(fixture, 'osds', '0,999');
  const text = await until(fixture, (shown) => shown.includes('osd.999: no such OSD'));
  expect(text).toContain('Enter a whole number of repeats from 1.');
  expect(button(fixture, START).disabled).toBe(true);
});

test('a label that was refused is asked for anew when it is mended', async () => {
  const made = world();
  const post = made.http.post.bind(made.http);
  made.http.post = <T>(path: string, body?: unknown): Promise<T> => {
    const { label = '' } = body as { label?: string };
    const refused = { detail: 'a label is at most 200 long', field: 'label' };
    return label.length > 200 ? Promise.reject(Refusal.from(400, refused)) : post(path, body);
  };
  const fixture = open(made);
  await until(fixture, (text) => text.includes(PLANNED));
  type(fixture, 'label', 'x'.repeat(300));
  type(fixture, 'repeats', '3');
  await until(fixture, (text) => text.includes('at most 200 long'));
  type(fixture, 'label', 'short');
  const text = await until(fixture, (shown) => shown.includes(PLANNED));
  expect(text).not.toContain('at most 200 long');
  expect(button(fixture, START).disabled).toBe(false);
});

test('profiles stand under the questions that they answer; the cost beside the button', async () => {
  const fixture = open();
  const text = await until(fixture, (shown) => shown.includes(PLANNED));
  const groups = [...(fixture.nativeElement as HTMLElement).querySelectorAll('optgroup')];
  expect(groups.map(({ label }) => label)).toContain('Are all disks equally fast?');
  expect(text).toMatch(
    /Writes [\d.]+ [GT]iB to 24 OSDs in about \d+ \w+; \d settings? (is|are) changed/,
  );
});

test('what is wrong in a field that the profile has not keeps no plan away', async () => {
  const fixture = open();
  await until(fixture, (text) => text.includes(PLANNED));
  type(fixture, 'max_repeats', 'many');
  await until(fixture, (text) => text.includes('Enter a whole number of repeats from 1.'));
  const element = fixture.nativeElement as HTMLElement;
  const profile = element.querySelector<HTMLSelectElement>('#pb-profile')!;
  profile.value = 'rados-rand';
  profile.dispatchEvent(new Event('change'));
  await fixture.whenStable();
  expect(element.querySelector('#pb-max_repeats')).toBeNull();
  expect(shownText(fixture)).toContain('Calculating the plan');
});

test('what would be refused says why, and takes a second thought', async () => {
  const made = world();
  const fixture = open(made);
  await until(fixture, (text) => text.includes(PLANNED));
  type(fixture, 'osds', '13');
  const text = await until(fixture, (shown) => shown.includes('osd.13 nearfull'));
  expect(text).toContain('its figures may mean nothing');
  expect(button(fixture, START).disabled).toBe(true);
  (fixture.nativeElement as HTMLElement)
    .querySelector<HTMLInputElement>('input[type=checkbox]')!
    .click();
  await fixture.whenStable();
  expect(button(fixture, START).disabled).toBe(false);
});

test('what force cannot override has no box to tick', async () => {
  const fixture = open();
  const text = await until(fixture, (shown) => shown.includes(PLANNED));
  expect(text).toContain('It can start now.');
  expect(text).toContain('Not checked, because the values are not known:');
  type(fixture, 'osds', '14');
  const refused = await until(fixture, (shown) => shown.includes('osd.14 is full'));
  expect(refused).toContain('osd.14 is full, and a bench writes (cannot be overridden)');
  expect(refused).toContain('It cannot be forced');
  const element = fixture.nativeElement as HTMLElement;
  expect(element.querySelector('input[type=checkbox]')).toBeNull();
  expect(button(fixture, START).disabled).toBe(true);
});

test('the plan tells how far repeats may go, and what is held still meanwhile', async () => {
  const text = await until(open(), (shown) => shown.includes(PLANNED));
  expect(text).toContain('6 repeats if the figures are not precise enough');
  expect(text).toContain('flag/noscrub not set → set');
  expect(text).toContain('restored at the end in any case');
});

test('the plan warns of wear and of what clients feel', async () => {
  const fixture = open();
  const text = await until(fixture, (shown) => shown.includes(PLANNED));
  expect(text).toMatch(/hdd \(24 OSDs\): at most [\d.]+ % of one full write of a device/);
  expect(text).toContain('used endurance not known for 24 OSDs');
  expect(text).toContain('Round 12: 4.10 to 6.20 ms, at worst 12.5 ms (1.5 times)');
  expect(text).toContain('at the latest after 17 min');
});

test('refused at the last moment: every reason, and a new plan that has them', async () => {
  const made = world();
  const fixture = open(made);
  await until(fixture, (text) => text.includes(PLANNED));
  const reasons = ['12 PGs are not clean', 'the cluster reports OSD_DOWN'];
  const post = made.http.post.bind(made.http);
  made.http.post = <T>(path: string, body?: unknown): Promise<T> =>
    (body as { dry_run?: boolean }).dry_run
      ? post(path, body)
      : Promise.reject(Refusal.from(409, { detail: 'refused now: …', code: 'EAGAIN', reasons }));
  const planned = made.http.asked.length;
  button(fixture, START).click();
  const text = await until(fixture, (shown) => shown.includes('the cluster reports OSD_DOWN'));
  expect(text).toContain('It is refused for these reasons:');
  await until(fixture, () => made.http.asked.length > planned);
});

test('a plan that comes late is none of the fields as they are then', async () => {
  const made = world();
  const fixture = open(made);
  await until(fixture, (text) => text.includes(PLANNED));
  const post = made.http.post.bind(made.http);
  const waiting: (() => void)[] = [];
  const refuse: ((why: Refusal) => void)[] = [];
  made.http.post = async <T>(path: string, body?: unknown): Promise<T> => {
    if (!(body as { dry_run?: boolean }).dry_run)
      return await new Promise((_, reject) => refuse.push(reject));
    await new Promise<void>((go) => waiting.push(go));
    return await post(path, body);
  };
  button(fixture, START).click();
  type(fixture, 'osds', '0,1');
  await until(fixture, () => waiting.length === 1);
  refuse[0]!(Refusal.from(409, { detail: 'refused now', code: 'EAGAIN' }));
  await until(fixture, () => waiting.length === 2);
  type(fixture, 'osds', '0,1,2');
  for (const go of waiting) go();
  await until(fixture, (text) => waiting.length === 3 && text.includes('Calculating the plan'));
  expect(shownText(fixture)).not.toContain('2: osd.0, osd.1');
  expect(button(fixture, START).disabled).toBe(true);
  waiting[2]!();
  await until(fixture, (text) => text.includes('3: osd.0, osd.1, osd.2'));
});

test('somebody else was faster: a sentence, and the way to that round', async () => {
  const made = world();
  const fixture = open(made);
  await until(fixture, (text) => text.includes(PLANNED));
  made.http.answers.start({ profile: 'osd-iops' });
  button(fixture, START).click();
  await until(fixture, (text) => text.includes('round 13 is running'));
  await until(fixture, (text) => text.includes('Show the running round'));
  await until(fixture, (text) => text.includes('round 13 is running (cannot be overridden)'));
  expect(shownText(fixture)).toContain(PLANNED);
  button(fixture, 'Abort…').click();
  await until(fixture, (text) => text.includes('Abort round 13?'));
});

describe('rounds of clients', () => {
  async function chooses(
    profile: string,
    made: World = world(),
  ): Promise<ComponentFixture<StartDialogComponent>> {
    const fixture = open(made);
    await until(fixture, (text) => text.includes(PLANNED));
    const select = (fixture.nativeElement as HTMLElement).querySelector('select')!;
    select.value = profile;
    select.dispatchEvent(new Event('change'));
    await until(fixture, (text) => text.includes('4 clients × 16 operations in flight'));
    return fixture;
  }

  test('are asked for pool, clients and threads, and planned so', async () => {
    const fixture = await chooses('rados-write');
    const element = fixture.nativeElement as HTMLElement;
    expect(element.querySelector('#pb-osds')).toBeNull();
    type(fixture, 'clients', '2');
    type(fixture, 'pool', 'ours');
    const text = await until(fixture, (shown) => shown.includes('2 clients × 16'));
    expect(text).toContain('pool ours');
    expect(button(fixture, START).disabled).toBe(false);
  });

  test.each([
    ['clients', 'many'],
    ['threads', '0'],
    ['seconds', '1.5'],
  ])('%s of %p is no whole number', async (field, value) => {
    const fixture = await chooses('rados-write');
    type(fixture, field, value);
    await until(fixture, (text) => text.includes('Enter a whole number from 1.'));
    expect(button(fixture, START).disabled).toBe(true);
  });

  const SEARCHES = ['rados-saturate', 'rados-saturate-rand'];
  test.each(SEARCHES)('%s is asked for the most of either, and for no repeats', async (profile) => {
    const fixture = await chooses(profile);
    const element = fixture.nativeElement as HTMLElement;
    expect(element.querySelector('#pb-repeats')).toBeNull();
    expect(element.textContent).toContain(
      'most clients at the same time; empty: see the plan; 1 to 64',
    );
    expect(element.textContent).toContain('up to 4 clients × 16');
  });

  test('run on the workers that are chosen of those that can be used', async () => {
    const fixture = await chooses('rados-write');
    const element = fixture.nativeElement as HTMLElement;
    await until(fixture, () => element.querySelectorAll('.pb-picks input').length > 0);
    const names = [...element.querySelectorAll('.pb-picks label')].map((one) =>
      one.textContent.trim(),
    );
    expect(names).toEqual(['node-0', 'node-1']);
    for (const box of element.querySelectorAll<HTMLInputElement>('.pb-picks input')) {
      box.click();
      await fixture.whenStable();
    }
    await until(fixture, (text) => text.includes('on workers node-0, node-1'));
    element.querySelector<HTMLInputElement>('.pb-picks input')!.click();
    await until(fixture, (text) => text.includes('on workers node-1'));
    type(fixture, 'pool', 'ours');
    await until(fixture, (text) => text.includes('serve the pool perf_bench alone'));
    expect(button(fixture, START).disabled).toBe(true);
  });

  test('run beside the manager where no worker is', async () => {
    const made = world();
    made.http.answers.hardware.workers = () => [];
    const fixture = await chooses('rados-write', made);
    await until(fixture, (text) => text.includes('No worker is ready'));
    expect(button(fixture, START).disabled).toBe(false);
  });

  test('what is asked of the back end is of clients only', () => {
    const typed = { ...EMPTY, osds: 'all', rest: '1m', pool: ' p ', clients: '2', workers: 'a,b' };
    const asked = { ...typed, foreign_pool: true, seconds: '9', size: '64 KiB' };
    expect(request({ ...asked, profile: 'rados-rand' })).toEqual({
      profile: 'rados-rand',
      workers: 'a,b',
      pool: 'p',
      clients: 2,
      seconds: 9,
      size: 65_536,
      foreign_pool: true,
    });
    expect(request({ ...asked, profile: 'osd-iops' })).toEqual({
      profile: 'osd-iops',
      osds: 'all',
      size: 65_536,
    });
  });
});

test('OSDs are chosen from lists, which are asked for when they are opened', async () => {
  const made = world();
  const fixture = open(made);
  await until(fixture, (text) => text.includes(PLANNED));
  expect(made.http.asked.filter((one) => one.includes('osd/map'))).toHaveLength(0);
  const details = (fixture.nativeElement as HTMLElement).querySelector('details')!;
  details.open = true;
  details.dispatchEvent(new Event('toggle'));
  await until(fixture, (text) => text.includes('Device class'));
});
