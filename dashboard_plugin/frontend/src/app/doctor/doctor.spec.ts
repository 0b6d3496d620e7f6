import { jest } from '@jest/globals';
import { ComponentFixture, TestBed } from '@angular/core/testing';
import { World, world } from '../../testing/fake-http';
import { button, until } from '../../testing/settle';
import { DoctorComponent } from './doctor.component';

function open(made: World = world()): ComponentFixture<DoctorComponent> {
  TestBed.configureTestingModule({ providers: made.providers });
  return TestBed.createComponent(DoctorComponent);
}

test('advice, worst first, with its evidence, its source and what mends it', async () => {
  const fixture = open();
  const text = await until(fixture, (shown) =>
    shown.includes('up to 2.1 GiB of the database of osd.3'),
  );
  expect(text).toContain('2 × warning, 1 × info');
  expect(text).toContain('ceph tell osd.3 compact');
  expect(text).toContain("SourceCeph's documentation, BLUEFS_SPILLOVER");
  expect(text).toContain('largest slow 2.1 GiB share 7.0 %');
  expect(text).toContain('OSDs (24)');
  expect(text.indexOf('nothing limits the write-ahead log')).toBeLessThan(
    text.indexOf('powersave'),
  );
});

test('of many OSDs the first are named and the others counted', async () => {
  const text = await until(open(world({ osds: 40 })), (shown) => shown.includes('osd.23'));
  expect(text).toContain('osd.23 … + 16');
});

test('of much advice the first is drawn, and more when it is asked for', async () => {
  const made = world();
  const [first] = made.http.answers.hardware.advice();
  const rows = Array.from({ length: 60 }, (_, osd) => ({
    ...first!,
    target: { kind: 'osd', id: String(osd) },
  }));
  // As of more than one answer has.
  made.http.page = (() => Promise.resolve({ rows, total: 62 })) as typeof made.http.page;
  const fixture = open(made);
  await until(fixture, (text) => text.includes('Show more (10)'));
  const drawn = (): number =>
    (fixture.nativeElement as HTMLElement).querySelectorAll('pb-advice').length;
  expect(drawn()).toBe(50);
  button(fixture, 'Show more (10)').click();
  await until(fixture, (text) => text.includes('2 more of lower severity'));
  expect(drawn()).toBe(60);
});

test('nothing to advise is a sentence, which says what of', async () => {
  const text = await until(
    open(world({ osds: 0 })),
    (shown) => shown.includes('No advice:') && shown.includes('21 of 30 checks, 2 of them in part'),
  );
  expect(text).toContain("run 'ceph-perf-bench facts --push' on host-2");
  expect(text).not.toContain('paths to disks');
});

test.each([
  ['all checks could look', true, 1],
  ['some could not', false, 0],
])('no advice is good only if of all checks: %s', async (_, complete, good) => {
  const made = world({ osds: 0 });
  const { answers } = made.http;
  const real = answers.answer.bind(answers);
  answers.answer = (question) => {
    const found = real(question);
    if (question.path !== 'coverage') return found;
    const looks = found.body as readonly { name: string }[];
    return { body: looks.map((one) => (one.name === 'doctor' ? { ...one, complete } : one)) };
  };
  const fixture = open(made);
  await until(fixture, (text) => text.includes('No advice:') && text.includes('of 30 checks'));
  const element = fixture.nativeElement as HTMLElement;
  expect(element.querySelectorAll('.pb-remark--good')).toHaveLength(good);
});

describe('a command is copied', () => {
  const copies = jest.fn<(text: string) => Promise<void>>();

  test.each([
    ['by the clipboard', () => Promise.resolve(), true],
    ['by hand where the browser keeps the clipboard', () => Promise.reject(new Error('no')), true],
    ['and nothing is said when it was not', () => Promise.reject(new Error('no')), false],
  ])('%s', async (_, clipboard, byHand) => {
    copies.mockReset().mockImplementation(clipboard);
    const selected: string[] = [];
    Object.assign(navigator, { clipboard: { writeText: copies } });
    Object.assign(document, {
      execCommand: () => {
        selected.push(document.querySelector('textarea')?.value ?? '');
        return byHand;
      },
    });
    const fixture = open();
    document.body.append(fixture.nativeElement as HTMLElement);
    await until(fixture, (shown) => shown.includes('of the database of osd.3'));
    button(fixture, 'Copy ceph tell osd.3 compact').click();
    await until(
      fixture,
      (shown) => copies.mock.calls.length > 0 && (!byHand || shown.includes('Copied')),
    );
    expect(copies).toHaveBeenCalledWith('ceph tell osd.3 compact');
    expect(selected.every((text) => text === 'ceph tell osd.3 compact')).toBe(true);
    fixture.destroy();
  });
});
