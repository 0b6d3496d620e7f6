import { ComponentFixture, TestBed } from '@angular/core/testing';
import { READER, World, world } from '../../testing/fake-http';
import { button, until } from '../../testing/settle';
import { MclockComponent } from './mclock.component';

function open(made: World = world()): ComponentFixture<MclockComponent> {
  TestBed.configureTestingModule({ providers: made.providers });
  return TestBed.createComponent(MclockComponent);
}

test('configured and measured, with source, plausible range, verdict and proposal', async () => {
  const fixture = open();
  const text = await until(fixture, (shown) => shown.includes('osd.23'));
  expect(text).toContain('OSDs with a proposal: 3');
  expect(text).toContain('ceph perf-bench mclock propose --apply');
  const rows = [...(fixture.nativeElement as HTMLElement).querySelectorAll('tbody tr')];
  expect(rows[1]?.textContent.replaceAll(/\s+/g, ' ')).toMatch(
    /osd\.1 hdd 315 default 161 50–500 ! far from measured 161/,
  );
});

test('proposals are set after a second thought, and put back', async () => {
  const made = world();
  const fixture = open(made);
  await until(fixture, (text) => text.includes('OSDs with a proposal: 3'));
  button(fixture, 'Set the measured values…').click();
  await until(fixture, (text) => text.includes('kept, so that they can be restored'));
  expect(made.http.answers.hardware.applied).toBe(false);
  button(fixture, 'Set them').click();
  await until(fixture, (text) => text.includes('Set; OSDs changed: 3.'));
  await until(fixture, (text) => text.includes('No proposals'));
  button(fixture, 'Restore…').click();
  await until(fixture, (text) => text.includes('Values that somebody has changed since stay'));
  button(fixture, 'Restore them').click();
  await until(fixture, (text) => text.includes('Restored; OSDs changed: 3.'));
  expect(made.http.answers.hardware.applied).toBe(false);
});

test('what a restore could not put back, or left to somebody else, is told', async () => {
  const made = world();
  const what = (osd: number): string => `config/osd.${osd}/osd_mclock_max_capacity_iops_hdd`;
  made.http.answers.hardware.tune = () => ({
    changed: [3],
    left: 0,
    theirs: [{ what: what(1), now: '400' }],
    waiting: [{ what: what(2), why: 'osd.2 still uses 210' }],
  });
  const fixture = open(made);
  await until(fixture, (text) => text.includes('OSDs with a proposal: 3'));
  button(fixture, 'Restore…').click();
  await until(fixture, (text) => text.includes('Values that somebody has changed since stay'));
  button(fixture, 'Restore them').click();
  const text = await until(fixture, (shown) => shown.includes('Restored; OSDs changed: 1.'));
  expect(text).toContain(`${what(1)} stays 400: somebody else has set it since.`);
  expect(text).toContain(`${what(2)}: osd.2 still uses 210`);
});

test('what is out of range and was therefore not set is told', async () => {
  const made = world();
  made.http.answers.hardware.tune = () => ({ changed: [3], left: 0, needs_consent: [2, 1] });
  const fixture = open(made);
  await until(fixture, (text) => text.includes('OSDs with a proposal: 3'));
  button(fixture, 'Set the measured values…').click();
  await until(fixture, (text) => text.includes('kept, so that they can be restored'));
  button(fixture, 'Set them').click();
  const text = await until(fixture, (shown) => shown.includes('Set; OSDs changed: 1.'));
  expect(text).toContain(
    'osd.1 and osd.2 are left as before: the measured value is out of Ceph’s range. To set it too: ',
  );
});

test('of more proposals than one answer has it is said that there may be more', async () => {
  const made = world({ osds: 600 });
  const { hardware } = made.http.answers;
  const [first] = hardware.capacities();
  hardware.capacities = () =>
    Array.from({ length: 600 }, (_, osd) => ({ ...first!, osd, proposed: 160 }));
  await until(open(made), (text) => text.includes('OSDs with a proposal: 500 or more.'));
});

test('who may only look sees the command, and no button', async () => {
  const fixture = open(world({ permissions: READER }));
  const text = await until(fixture, (shown) => shown.includes('OSDs with a proposal: 3'));
  expect(text).not.toContain('Set the measured values');
  expect(text).not.toContain('Restore');
});

test('a release without mClock has a sentence', async () => {
  const made = world();
  made.http.answers.hardware.scheduler = 'wpq';
  const text = await until(open(made), (shown) => shown.includes('No OSD uses mClock'));
  expect(text).not.toContain('Restore');
});

test('a page of OSDs without mClock does not stand for the others', async () => {
  const made = world({ osds: 60 });
  const { hardware } = made.http.answers;
  const [first] = hardware.capacities();
  hardware.capacities = () =>
    Array.from({ length: 60 }, (_, osd) =>
      osd < 30
        ? { ...first!, osd, verdict: 'unused' as const, proposed: null }
        : { ...first!, osd, verdict: 'far' as const, proposed: osd === 59 ? 160 : null },
    );
  const fixture = open(made);
  const text = await until(fixture, (shown) => shown.includes('1–25 of 60'));
  expect(text).not.toContain('No OSD uses mClock');
  expect(text).toContain('OSDs with a proposal: 1.');
  expect(button(fixture, 'Set the measured values…').disabled).toBe(false);
});

test.each([
  [['ok', 'ok'], 'close to the measured one for every OSD', 'good'],
  [['ok', 'unlikely'], 'not every OSD has a plausible measured value', 'unknown'],
  [['implausible', 'ok'], 'not every OSD has a plausible measured value', 'unknown'],
  [['unlikely', 'unlikely'], 'not every OSD has a plausible measured value', 'unknown'],
] as const)('without proposals: %p', async (verdicts, words, level) => {
  const made = world();
  const { hardware } = made.http.answers;
  const [first] = hardware.capacities();
  hardware.capacities = () =>
    verdicts.map((verdict, osd) => ({ ...first!, osd, verdict, proposed: null }));
  const fixture = open(made);
  await until(fixture, (text) => text.includes(words));
  const remarks = (fixture.nativeElement as HTMLElement).querySelectorAll('.pb-remark');
  expect([...remarks].map((one) => one.className)).toEqual([`pb-remark pb-remark--${level}`]);
});
