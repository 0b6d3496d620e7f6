import { Type } from '@angular/core';
import { ComponentFixture, TestBed } from '@angular/core/testing';
import { jest } from '@jest/globals';
import { Refused } from '../../../fake/refused.mjs';
import { Finding } from '../../generated/types';
import { READER, World, world } from '../../testing/fake-http';
import { button, shownText, until } from '../../testing/settle';
import { FindingComponent } from './finding.component';
import { FindingsComponent } from './findings.component';
import { OpenFindingsComponent } from './open-findings.component';
import { widestFirst } from './width';

function open<T>(type: Type<T>, made: World = world()): ComponentFixture<T> {
  TestBed.configureTestingModule({ providers: made.providers });
  return TestBed.createComponent(type);
}

function links(fixture: ComponentFixture<unknown>): readonly (string | null)[] {
  const all = (fixture.nativeElement as HTMLElement).querySelectorAll('a');
  return [...all].map((link) => link.getAttribute('href'));
}

const MUTE = 'Mute…';

describe('the widest cause first', () => {
  const finding = (id: number, kind: string, severity = 'warning', first = ''): Finding =>
    ({ id, severity, target: { kind, id: 'x' }, first_seen: first }) as Finding;
  test.each<[string, Finding[], number[]]>([
    ['wider', [finding(1, 'osd'), finding(2, 'host'), finding(3, 'rack')], [3, 2, 1]],
    ['wide before bad', [finding(1, 'osd', 'error'), finding(2, 'cluster', 'info')], [2, 1]],
    ['bad', [finding(1, 'osd', 'info'), finding(2, 'osd', 'error')], [2, 1]],
    ['new', [finding(1, 'osd', 'info', '2026'), finding(2, 'osd', 'info', '2027')], [2, 1]],
    ['of a kind of later', [finding(1, 'osd'), finding(2, 'comet'), finding(3, 'host')], [3, 1, 2]],
  ])('%s', (_, given, ids) => {
    expect(widestFirst(given).map((one) => one.id)).toEqual(ids);
  });
});

describe('on the overview', () => {
  test('the host stands before the OSD; what is muted is counted', async () => {
    const text = await until(open(OpenFindingsComponent), (shown) => shown.includes('1 muted'));
    expect(text.indexOf('host host-2')).toBeGreaterThan(0);
    expect(text.indexOf('host host-2')).toBeLessThan(text.indexOf('osd.14'));
    expect(text).not.toContain('laggy');
    expect(text).toContain('! warning'); // a sign and a word, not only a colour
  });

  test('where all is muted it does not say that all is well', async () => {
    const made = world();
    for (const id of ['2', '3']) made.http.answers.watch.mute(id, '1d');
    const fixture = open(OpenFindingsComponent, made);
    await until(fixture, (text) => text.includes('No other findings: the rest is muted.'));
  });

  test.each<[string, (made: World) => void, string]>([
    ['off', ({ http }) => (http.answers.watch.on = false), 'mgr/perf_bench/watch true'],
    ['hindered', ({ http }) => (http.answers.watch.problem = 'no'), 'The watch has a problem: no.'],
    ['forbidden', ({ http }) => (http.answers.mode = 'forbidden'), 'lack the permission'],
  ])('%s', async (_, change, words) => {
    const made = world();
    change(made);
    await until(open(OpenFindingsComponent, made), (text) => text.includes(words));
  });

  test('a watch that is off has not found that nothing is wrong', async () => {
    const made = world();
    Object.assign(made.http.answers.watch, { on: false, calm: true });
    const fixture = open(OpenFindingsComponent, made);
    const text = await until(fixture, (shown) => shown.includes('The watch is off'));
    expect(text).not.toContain('No findings');
  });
});

describe('muting', () => {
  function opened(id: string, made: World): ComponentFixture<FindingComponent> {
    const fixture = open(FindingComponent, made);
    fixture.componentRef.setInput('id', id);
    return fixture;
  }

  test('one is muted for as long as is chosen, and the page says until when', async () => {
    const made = world();
    const fixture = opened('3', made);
    await until(fixture, (text) => text.includes('host host-2'));
    button(fixture, MUTE).click();
    await until(fixture, (text) => text.includes('Mute finding 3?'));
    const choice = (fixture.nativeElement as HTMLElement).querySelector('select')!;
    choice.value = '8h';
    choice.dispatchEvent(new Event('change'));
    button(fixture, 'Mute it').click();
    await until(fixture, (shown) => shown.includes('Muted until'));
    const { watch } = made.http.answers;
    const hours = (Date.parse(watch.finding('3').muted_until ?? '') - Date.now()) / 3600e3;
    expect(hours).toBeCloseTo(8, 1);
    expect(made.http.asked).toContain('POST finding/3/mute');
  });

  test('a refusal shows in the dialog, which stays', async () => {
    const made = world();
    const fixture = opened('3', made);
    await until(fixture, (text) => text.includes('host host-2'));
    made.http.answers.mode = 'read-only';
    button(fixture, MUTE).click();
    await fixture.whenStable();
    button(fixture, 'Mute it').click();
    await until(fixture, (text) => text.includes('your roles lack the permission create'));
  });

  test('a dialog cannot be closed before it is known whether it was refused', async () => {
    const made = world();
    const fixture = opened('3', made);
    await until(fixture, (text) => text.includes('host host-2'));
    button(fixture, MUTE).click();
    await fixture.whenStable();
    made.http.answers.mode = 'read-only';
    made.http.holds = (path) => path.endsWith('/mute');
    button(fixture, 'Mute it').click();
    await until(fixture, () => made.http.letGo.length > 0);
    button(fixture, 'Close').click();
    button(fixture, 'Cancel').click();
    const dialog = (fixture.nativeElement as HTMLElement).querySelector('dialog')!;
    const escape = new Event('cancel', { cancelable: true });
    dialog.dispatchEvent(escape);
    expect(escape.defaultPrevented).toBe(true);
    dialog.close(); // as a browser does at a second Escape
    await fixture.whenStable();
    expect(dialog.open).toBe(true);
    for (const go of made.http.letGo) go();
    await until(fixture, (text) => text.includes('your roles lack the permission create'));
    button(fixture, 'Cancel').click();
    await until(fixture, (text) => !text.includes('Mute finding'));
  });

  test('who may not change anything has no button', async () => {
    const fixture = opened('3', world({ permissions: READER }));
    await until(fixture, (text) => text.includes('host host-2'));
    expect(() => button(fixture, MUTE)).toThrow('no button');
  });
});

test('a finding says first what it is, who is at fault, and the first command', async () => {
  const made = world();
  const fixture = open(FindingComponent, made);
  fixture.componentRef.setInput('id', '2');
  const text = await until(fixture, (shown) => shown.includes('What to do first'));
  const element = fixture.nativeElement as HTMLElement;
  const title = element.querySelector('h2')!.textContent;
  expect(title).toMatch(/^osd\.14 on .* is 4\.1 times as slow/);
  expect(text.indexOf('It is slow itself.')).toBeGreaterThan(0);
  expect(text.indexOf('Clients of the cluster get 30 ms now')).toBeLessThan(
    text.indexOf('What to do first'),
  );
  expect(element.querySelector('pb-command')?.textContent).toContain('ceph');
  const evidence = [...element.querySelectorAll('details')].at(-1)!;
  expect([evidence.querySelector('summary')?.textContent.trim(), evidence.open]).toEqual([
    'Evidence',
    false,
  ]);
});

describe('the list', () => {
  test("what could not be looked at, and Ceph's own alerts, stand below it", async () => {
    const fixture = open(FindingsComponent, world());
    const text = await until(
      fixture,
      (shown) => shown.includes('Not looked at:') && shown.includes('BLUESTORE_SLOW_OP_ALERT'),
    );
    expect(text).toContain('paths to disks: 1 of 3 hosts (host-2) not looked at: no facts');
    expect(text).toContain(
      'over, and not forgotten yet: the last event that is counted was 3 h ago',
    );
    expect(text).toContain('start in spite of it');
  });

  test.each(['coverage', 'alert'])(
    '"nothing" does not hide that %s has no answer',
    async (path) => {
      const made = world();
      const { answers } = made.http;
      answers.watch.calm = true;
      const real = answers.answer.bind(answers);
      answers.answer = (question) => {
        if (question.path === path) throw new Refused(500, 'fault', 'this one broke');
        return real(question);
      };
      const fixture = open(FindingsComponent, made);
      await until(fixture, (text) => text.includes('No findings in what was looked at.'));
      expect(shownText(fixture)).toContain('this one broke');
    },
  );

  test('has open and muted ones with their targets; those that are over on request', async () => {
    const made = world();
    made.host.route.set('/findings');
    const fixture = open(FindingsComponent, made);
    const text = await until(fixture, (shown) => shown.includes('osd.14'));
    expect(text).toContain('muted');
    expect(text).not.toContain('osd.0 on host-0');
    expect(links(fixture)).toContain('#/perf-bench/osds/14');
    (fixture.nativeElement as HTMLElement).querySelector<HTMLInputElement>('label input')!.click();
    await until(fixture, (shown) => shown.includes('osd.0 on host-0'));
    expect(made.host.route()).toBe('/findings?closed=1');
  });

  test.each(['come', 'are refused'])(
    'before those that are over %s it does not say that there were none',
    async (case_) => {
      const made = world();
      const { answers } = made.http;
      answers.watch.findings = () => [];
      const over = (query: Pick<URLSearchParams, 'get'>): boolean =>
        query.get('everything') !== null;
      const real = answers.answer.bind(answers);
      answers.answer = (question) => {
        if (question.path === 'finding' && over(question.query))
          throw new Refused(500, 'fault', 'these broke');
        return real(question);
      };
      made.http.holds = (path, query) =>
        case_ === 'come' && path === 'finding' && 'everything' in query;
      const fixture = open(FindingsComponent, made);
      await until(fixture, (text) => text.includes('No findings in what was looked at.'));
      (fixture.nativeElement as HTMLElement)
        .querySelector<HTMLInputElement>('label input')!
        .click();
      const text = await until(fixture, (shown) =>
        case_ === 'come' ? made.http.letGo.length > 0 : shown.includes('these broke'),
      );
      expect(text).not.toContain('No findings');
      answers.answer = real;
      made.http.holds = () => false;
      for (const go of made.http.letGo) go();
      if (case_ === 'are refused') button(fixture, 'Try again').click();
      await until(fixture, (shown) => shown.includes('No findings so far.'));
    },
  );

  test('a search that nothing fits keeps its field', async () => {
    const fixture = open(FindingsComponent);
    await until(fixture, (text) => text.includes('osd.14'));
    const field = (fixture.nativeElement as HTMLElement).querySelector<HTMLInputElement>(
      'input[type=search]',
    )!;
    field.value = 'nobody';
    field.dispatchEvent(new Event('input'));
    await until(fixture, (text) => !text.includes('osd.14'));
    expect(shownText(fixture)).toContain('Nothing matches.');
  });
});

describe('one finding', () => {
  const show = (id: string, made = world()): ComponentFixture<FindingComponent> => {
    const fixture = open(FindingComponent, made);
    fixture.componentRef.setInput('id', id);
    return fixture;
  };

  test.each([
    ['2', ['Slow OSD: what it means', 'slow bursts in 24 h 9', 'latency 14.2 ms']],
    ['3', ['Most OSDs of the host', 'osd.23', 'number of slow OSDs 8', 'See also: Host host-2']],
    ['4', ['Muted until', 'See also: Laggy PGs', 'PGs were laggy, summed 7 min 00 s']],
    ['1', ['Closed at', 'See also: osd.0']],
  ])('%s says what it means, with its figures', async (id, words) => {
    const text = await until(show(id), (shown) => shown.includes('Evidence'));
    for (const word of words) expect(text).toContain(word);
  });

  test('a kind that the front end does not know is shown whole', async () => {
    const fixture = show('5');
    const text = await until(fixture, (shown) => shown.includes('New kind of finding'));
    for (const words of [
      'It shows every shape',
      'Run the commands',
      'profile osd-iops',
      'See also: History',
      'later a key without words',
      'kind of errorcountnew in a day',
      'checksum rate 3.0 MiB/s change -7.3 %',
    ])
      expect(text).toContain(words);
    const root = fixture.nativeElement as HTMLElement;
    expect([...root.querySelectorAll('pb-command code')].map((one) => one.textContent)).toEqual([
      'ceph config rm osd osd_recovery_max_active',
      'ceph osd unset noout',
    ]);
    expect(root.querySelectorAll('pb-evidence table tbody tr')).toHaveLength(2);
    expect(links(fixture)).toEqual(
      expect.arrayContaining(['#/perf-bench/osds/1', '#/perf-bench/history?profile=osd-iops']),
    );
  });

  test('an older module has no words for evidence: the keys stand for themselves', async () => {
    const made = world();
    const answer = made.http.answers.answer.bind(made.http.answers);
    jest.spyOn(made.http.answers, 'answer').mockImplementation((question) => {
      if (question.path === 'finding/kind') throw new Refused(404, 'not_found', 'no finding kind');
      return answer(question);
    });
    const text = await until(show('2', made), (shown) => shown.includes('bursts 24h 9'));
    expect(text).toContain('latency 14.2 ms');
    expect(text).not.toContain('what it means');
  });

  test.each([
    ['77', 'no finding 77'],
    ['many', '“many” is not the number of a finding.'],
  ])('%s: %s', async (id, words) => {
    await until(show(id), (text) => text.includes(words));
  });

  test('what next stands there with commands to copy; for one that is over it does not', async () => {
    const fixture = show('2');
    const text = await until(fixture, (shown) => shown.includes('What next'));
    for (const words of ['What to check', 'How to relieve it now', 'slot 14 of enclosure'])
      expect(text).toContain(words);
    const root = fixture.nativeElement as HTMLElement;
    const commands = [...root.querySelectorAll('pb-next-steps pb-command code')];
    expect(commands.map((one) => one.textContent)).toContain('ceph osd ok-to-stop 14');
    fixture.componentRef.setInput('id', '1');
    await until(fixture, (shown) => shown.includes('Closed at') && !shown.includes('What next'));
  });

  test('a note on it stays with it, on the page and in the list, until it is removed', async () => {
    const made = world();
    const fixture = show('2', made);
    await until(fixture, (text) => text.includes('Evidence'));
    button(fixture, 'Acknowledge…').click();
    await until(fixture, (text) => text.includes('Acknowledge finding 2?'));
    const field = (fixture.nativeElement as HTMLElement).querySelector<HTMLInputElement>(
      'pb-ack-dialog input',
    )!;
    const type = async (words: string): Promise<void> => {
      field.value = words;
      field.dispatchEvent(new Event('input'));
      await fixture.whenStable();
    };
    expect(button(fixture, 'Acknowledge').disabled).toBe(true);
    await type('x'.repeat(501));
    await until(fixture, (text) => text.includes('The note has 501 characters'));
    expect(button(fixture, 'Acknowledge').disabled).toBe(true);
    await type(' disk ordered ');
    button(fixture, 'Acknowledge').click();
    await until(fixture, (text) => /Acknowledged\s*disk ordered.*by admin/.test(text));
    expect(made.http.answers.watch.finding('2').state).toBe('open');
    const list = TestBed.createComponent(FindingsComponent);
    await until(list, (text) => text.includes('Acknowledged: disk ordered'));
    button(fixture, 'Remove note').click();
    await until(fixture, (text) => !text.includes('disk ordered'));
    expect(made.http.answers.watch.finding('2').acknowledged).toBeNull();
  });

  test("what is typed stays when somebody else's note comes meanwhile", async () => {
    const made = world();
    const fixture = show('2', made);
    await until(fixture, (text) => text.includes('Evidence'));
    button(fixture, 'Acknowledge…').click();
    await until(fixture, (text) => text.includes('Acknowledge finding 2?'));
    const field = (fixture.nativeElement as HTMLElement).querySelector<HTMLInputElement>(
      'pb-ack-dialog input',
    )!;
    const comes = async (text: string): Promise<void> => {
      made.http.answers.watch.acknowledge('2', { text });
      document.dispatchEvent(new Event('visibilitychange')); // asks as a poll does
      await until(fixture, (shown) => shown.includes(text));
    };
    await comes('theirs');
    expect(field.value).toBe('theirs'); // nothing was typed
    field.value = 'disk ordered';
    field.dispatchEvent(new Event('input'));
    await fixture.whenStable();
    await comes('theirs again');
    expect(field.value).toBe('disk ordered');
  });

  test('a note is not removed without a reason where that is refused', async () => {
    const made = world();
    made.http.answers.watch.acknowledge('2', { text: 'disk ordered' });
    const fixture = show('2', made);
    await until(fixture, (text) => text.includes('disk ordered'));
    made.http.answers.mode = 'read-only';
    button(fixture, 'Remove note').click();
    await until(fixture, (text) => text.includes('your roles lack the permission create'));
  });

  test('one that is over is not muted', async () => {
    const fixture = show('1');
    await until(fixture, (text) => text.includes('Closed at'));
    expect(() => button(fixture, MUTE)).toThrow('no button');
    expect(() => button(fixture, 'Acknowledge…')).toThrow('no button');
  });
});

describe('many findings, page by page', () => {
  /** So many open ones, with ten closed ones more. */
  function many(count: () => number): World {
    const made = world();
    const { watch } = made.http.answers;
    const [first] = watch.findings(new URLSearchParams());
    watch.findings = (query: URLSearchParams) => {
      const length = count() + (query.get('everything') ? 10 : 0);
      return Array.from({ length }, (_, at) => ({ ...first!, id: 1000 + at }));
    };
    return made;
  }
  /** What the foot says, and the first finding. */
  function page(fixture: ComponentFixture<unknown>): readonly (string | undefined)[] {
    const element = fixture.nativeElement as HTMLElement;
    return [
      element.querySelector('.pb-table__pages span')?.textContent,
      element.querySelector('td a[href*="/findings/"]')?.textContent.trim(),
    ];
  }
  async function onSecondPage(count: () => number): Promise<ComponentFixture<FindingsComponent>> {
    const fixture = open(FindingsComponent, many(count));
    await until(fixture, (text) => text.includes('1–25 of 60'));
    button(fixture, 'Next page').click();
    await until(fixture, () => page(fixture)[1] === '1025');
    expect(page(fixture)).toEqual(['26–50 of 60', '1025']);
    return fixture;
  }

  test('with the closed ones it begins at the first page, and says so', async () => {
    const fixture = await onSecondPage(() => 60);
    (fixture.nativeElement as HTMLElement)
      .querySelector<HTMLInputElement>('.pb-card__head input[type=checkbox]')!
      .click();
    await until(fixture, (text) => text.includes('of 70'));
    expect(page(fixture)).toEqual(['1–25 of 70', '1000']);
  });

  test('a list that was empty for a moment shows what its foot says', async () => {
    let count = 60;
    const fixture = await onSecondPage(() => count);
    for (count of [0, 60]) {
      document.dispatchEvent(new Event('visibilitychange'));
      await until(fixture, (text) => text.includes('of 60') === count > 0);
    }
    const [foot, first] = page(fixture);
    expect(first).toBe(String(999 + Number(foot?.split('–')[0])));
  });
});

test('on the page of another finding nothing is left of the refusal before', async () => {
  const made = world();
  const { answers } = made.http;
  for (const id of ['2', '3']) answers.watch.acknowledge(id, { text: `note ${id}` });
  const fixture = open(FindingComponent, made);
  fixture.componentRef.setInput('id', '2');
  await until(fixture, (text) => text.includes('note 2'));
  answers.mode = 'broken';
  button(fixture, 'Remove note').click();
  await until(fixture, (text) => text.includes('met an error'));
  answers.mode = '';
  fixture.componentRef.setInput('id', '3');
  const text = await until(fixture, (shown) => shown.includes('note 3'));
  expect(text).not.toMatch(/met an error|Try again/);
});
