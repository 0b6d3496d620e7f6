import { ComponentFixture } from '@angular/core/testing';
import { ActiveRound, Plan, Status, Worker } from '../../generated/types';
import { Question, World, world } from '../../testing/recorded';
import { button, show, shownText, type, until } from '../../testing/settle';
import { Refusal } from '../core/refusal';
import { StartDialogComponent } from './start-dialog.component';
import { EMPTY, request } from './start-form';

const START = 'Start the round';
const PLANNED = '× 3 repeats';
const DRY = 'POST round {"dry_run": true, "profile": "osd-throughput"}';
const dry = ({ name, body }: Question): boolean =>
  name === 'POST round' && body['dry_run'] === true;

async function open(made: World = world()): Promise<ComponentFixture<StartDialogComponent>> {
  const fixture = show(StartDialogComponent, made);
  await until(fixture, (text) => text.includes(PLANNED));
  return fixture;
}

/** Plans of the OSDs that are asked for. */
function plans(made: World, changes: (question: Question) => Partial<Plan> = () => ({})): World {
  const plan = made.http.body<Plan>(DRY);
  made.http.on('POST round', (question) => {
    if (!dry(question)) return { id: 13 };
    const osds = typeof question.body['osds'] === 'string' ? question.body['osds'] : '';
    const targets = osds ? osds.split(',').map((osd) => `osd.${osd}`) : plan.targets;
    return { ...plan, targets, ...changes(question) };
  });
  return made;
}

const ADMITTED = { reasons: [], tolerated: [], unknown: [] };

function refused(code: string, message: string, forceable: boolean): Partial<Plan> {
  const refusals = [{ code, message, forceable }] as Plan['admission']['refusals'];
  return { admission: { ...ADMITTED, allowed: false, forceable, refusals } };
}

const boxes = (fixture: ComponentFixture<StartDialogComponent>): HTMLInputElement[] => [
  ...(fixture.nativeElement as HTMLElement).querySelectorAll<HTMLInputElement>('.pb-plan input'),
];

test('the button sleeps until the plan is there; then the round starts and is shown', async () => {
  const made = plans(world());
  made.http.holds = dry;
  const fixture = show(StartDialogComponent, made);
  await until(fixture, (text) => text.includes('Calculating the plan') && !!made.http.letGo.length);
  expect(button(fixture, START).disabled).toBe(true);
  made.http.letGo[0]!();
  await until(fixture, (text) => text.includes(PLANNED));
  button(fixture, START).click();
  await until(fixture, () => made.host.route() === '/rounds/13');
  expect(made.http.sent.at(-1)?.[1]).toEqual({ profile: 'osd-throughput' });
});

test('another wish, another plan: the button sleeps again', async () => {
  const fixture = await open(plans(world()));
  type(fixture, 'osds', '0,1');
  await fixture.whenStable();
  expect(button(fixture, START).disabled).toBe(true);
  await until(fixture, (text) => text.includes('2: osd.0, osd.1'));
  expect(button(fixture, START).disabled).toBe(false);
});

test.each([
  ['osds', 'some', "'some' does not select OSDs"],
  ['repeats', '0', 'Enter a whole number of repeats from 1.'],
  ['size', 'much', 'A size is a number with'],
])('%s of %p is refused beside the field: %s', async (field, value, words) => {
  const fixture = await open();
  type(fixture, field, value);
  await until(fixture, (text) => text.includes(words));
  const element = fixture.nativeElement as HTMLElement;
  expect(element.querySelector(`#pb-${field}`)?.getAttribute('aria-invalid')).toBe('true');
  expect(button(fixture, START).disabled).toBe(true);
});

test('wrong fields are told together; a refusal goes with the field that it was of', async () => {
  const fixture = await open();
  type(fixture, 'repeats', '0');
  type(fixture, 'osds', 'some');
  const both = await until(fixture, (shown) => shown.includes('does not select OSDs'));
  expect(both).toContain('Enter a whole number of repeats from 1.');
  type(fixture, 'osds', '');
  const text = await until(fixture, (shown) => shown.includes('no plan before the fields'));
  expect(text).not.toContain('does not select OSDs');
  const osds = (fixture.nativeElement as HTMLElement).querySelector('#pb-osds');
  expect(osds?.getAttribute('aria-invalid')).not.toBe('true');
});

test('a label that was refused is asked for anew when it is mended', async () => {
  const made = world();
  made.http.refuses = ({ body }) =>
    JSON.stringify(body['label'] ?? '').length > 200
      ? new Refusal('bad-request', 'a label is at most 200 long', '', 'label')
      : null;
  const fixture = await open(made);
  type(fixture, 'label', 'x'.repeat(300));
  type(fixture, 'repeats', '3');
  await until(fixture, (text) => text.includes('at most 200 long'));
  type(fixture, 'label', 'short');
  const text = await until(fixture, (shown) => shown.includes(PLANNED));
  expect(text).not.toContain('at most 200 long');
  expect(button(fixture, START).disabled).toBe(false);
});

test('profiles stand under the questions that they answer; the cost beside the button', async () => {
  const fixture = await open();
  const groups = [...(fixture.nativeElement as HTMLElement).querySelectorAll('optgroup')];
  expect(groups.map(({ label }) => label)).toContain('Are all disks equally fast?');
  expect(shownText(fixture)).toMatch(
    /Writes [\d.]+ [GT]iB to 12 OSDs in about \d+ \w+; \d settings? (is|are) changed/,
  );
});

test('the plan tells how far repeats may go, what is held still, and of wear', async () => {
  const text = shownText(await open());
  expect(text).toContain('6 repeats if the figures are not precise enough');
  expect(text).toContain('flag/noscrub');
  expect(text).toContain('restored at the end in any case');
  expect(text).toMatch(/at most [\d.]+ % of one full write of a device/);
});

test('what would be refused says why, and takes a second thought', async () => {
  const made = plans(world(), ({ body }) =>
    body['osds'] ? refused('nearfull', 'osd.3 is nearly full', true) : {},
  );
  const fixture = await open(made);
  type(fixture, 'osds', '3');
  const text = await until(fixture, (shown) => shown.includes('osd.3 is nearly full'));
  expect(text).toContain('its figures may mean nothing');
  expect(button(fixture, START).disabled).toBe(true);
  boxes(fixture)[0]!.click();
  await fixture.whenStable();
  expect(button(fixture, START).disabled).toBe(false);
});

test('what force cannot override has no box to tick', async () => {
  const made = plans(world(), ({ body }) =>
    body['osds'] ? refused('full', 'osd.3 is full, and a bench writes', false) : {},
  );
  const fixture = await open(made);
  type(fixture, 'osds', '3');
  const text = await until(fixture, (shown) => shown.includes('osd.3 is full'));
  expect(text).toContain('osd.3 is full, and a bench writes (cannot be overridden)');
  expect(text).toContain('It cannot be forced');
  expect(boxes(fixture)).toEqual([]);
  expect(button(fixture, START).disabled).toBe(true);
});

test('refused at the last moment: every reason, and a new plan that has them', async () => {
  const made = world();
  const reasons = ['12 PGs are not clean', 'the cluster reports OSD_DOWN'];
  const fixture = await open(made);
  made.http.refuses = (question) =>
    question.name === 'POST round' && !dry(question)
      ? new Refusal('busy', 'refused now: …', 'EAGAIN', '', reasons)
      : null;
  const planned = made.http.sent.length;
  button(fixture, START).click();
  const text = await until(fixture, (shown) => shown.includes('the cluster reports OSD_DOWN'));
  expect(text).toContain('It is refused for these reasons:');
  await until(fixture, () => made.http.sent.length > planned + 1);
});

test('a plan that comes late is none of the fields as they are then', async () => {
  const made = plans(world());
  const fixture = await open(made);
  made.http.holds = dry;
  type(fixture, 'osds', '0,1');
  await until(fixture, () => made.http.letGo.length === 1);
  type(fixture, 'osds', '0,1,2');
  made.http.letGo[0]!();
  await until(fixture, (text) => made.http.letGo.length === 2 && text.includes('Calculating'));
  expect(shownText(fixture)).not.toContain('2: osd.0, osd.1');
  expect(button(fixture, START).disabled).toBe(true);
  made.http.letGo[1]!();
  await until(fixture, (text) => text.includes('3: osd.0, osd.1, osd.2'));
});

test('somebody else was faster: a sentence, and the way to that round', async () => {
  const made = plans(world(), () => refused('round-running', 'round 13 is running', false));
  const active_round = { id: 13, progress: 0.5 } as ActiveRound;
  made.http.change<Status>('GET status', { active_round });
  const fixture = await open(made);
  await until(fixture, (text) => text.includes('round 13 is running (cannot be overridden)'));
  expect(shownText(fixture)).toContain('Show the running round');
  button(fixture, 'Abort…').click();
  await until(fixture, (text) => text.includes('Abort round 13?'));
});

describe('rounds of clients', () => {
  async function chooses(
    profile: string,
    made: World = world(),
  ): Promise<ComponentFixture<StartDialogComponent>> {
    const fixture = await open(made);
    type(fixture, 'profile', profile);
    await until(fixture, (text) => text.includes('operations in flight'));
    return fixture;
  }

  test('are asked for pool, clients and threads; what is no whole number is said', async () => {
    const made = world();
    const fixture = await chooses('rados-write', made);
    expect((fixture.nativeElement as HTMLElement).querySelector('#pb-osds')).toBeNull();
    type(fixture, 'clients', 'many');
    await until(fixture, (text) => text.includes('Enter a whole number from 1.'));
    expect(button(fixture, START).disabled).toBe(true);
    type(fixture, 'clients', '2');
    type(fixture, 'pool', 'ours');
    await until(fixture, () => !button(fixture, START).disabled);
    expect(made.http.sent.at(-1)?.[1]).toMatchObject({ clients: 2, pool: 'ours' });
  });

  test('of a search are asked for the most of either, and for no repeats', async () => {
    const fixture = await chooses('rados-saturate');
    const element = fixture.nativeElement as HTMLElement;
    expect(element.querySelector('#pb-repeats')).toBeNull();
    expect(element.textContent).toContain('most clients at the same time; empty: see the plan');
  });

  test('run on the workers that are chosen of those that can be used', async () => {
    const made = world();
    const fixture = await chooses('rados-write', made);
    const element = fixture.nativeElement as HTMLElement;
    const names = (): string[] =>
      [...element.querySelectorAll('.pb-picks label')].map((one) => one.textContent.trim());
    await until(fixture, () => names().length > 0);
    expect(names()).toEqual(['a']); // the other one is lost
    element.querySelector<HTMLInputElement>('.pb-picks input')!.click();
    await until(fixture, () => made.http.sent.at(-1)?.[1] !== undefined && !!sentWorkers(made));
    expect(sentWorkers(made)).toBe('a');
  });

  const sentWorkers = (made: World): unknown =>
    (made.http.sent.at(-1)?.[1] as Record<string, unknown>)['workers'];

  test('run beside the manager where no worker is', async () => {
    const made = world();
    made.http.on('GET worker', (): Worker[] => []);
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
  const fixture = await open(made);
  expect(made.http.asked.filter((one) => one.includes('osd/map'))).toHaveLength(0);
  const details = (fixture.nativeElement as HTMLElement).querySelector('details')!;
  details.open = true;
  details.dispatchEvent(new Event('toggle'));
  await until(fixture, (text) => text.includes('Device class'));
});
