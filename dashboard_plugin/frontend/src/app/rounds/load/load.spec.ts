import { ComponentFixture, TestBed } from '@angular/core/testing';
import { By } from '@angular/platform-browser';
import { Refused } from '../../../../fake/refused.mjs';
import { World, standsAt, world } from '../../../testing/fake-http';
import { until } from '../../../testing/settle';
import { RoundComponent } from '../round.component';
import { SaturationComponent } from './saturation.component';
import { MARKS, labelPlace } from './saturation-chart';
import { aligned, secondsOf, summed } from './seconds';

function open(id: string, made: World = world({ rounds: 28 })): ComponentFixture<RoundComponent> {
  TestBed.configureTestingModule({ providers: made.providers });
  const fixture = TestBed.createComponent(RoundComponent);
  fixture.componentRef.setInput('id', id);
  return fixture;
}

function labels<T>(fixture: ComponentFixture<T>): (string | null)[] {
  const element = fixture.nativeElement as HTMLElement;
  return [...element.querySelectorAll('[role=img]')].map((one) => one.getAttribute('aria-label'));
}

test('labels of marks that are near stand apart', () => {
  const places = MARKS.map((mark) => JSON.stringify(labelPlace([mark])));
  expect(new Set(places).size).toBe(MARKS.length);
  expect(labelPlace(['knee', 'peak'])).toEqual({ position: 'top' });
});

test('a round of clients: its load, its latencies, each client, and no OSDs', async () => {
  const fixture = open('27');
  const text = await until(fixture, (shown) => shown.includes('Clients by repeat'));
  expect(text).toContain('4 clients × 16 operations in flight, write of 4 MiB, 30 s a run');
  expect(text).toContain('mean 216, p50 214, p95 241, p99 248, max 610 ms');
  expect(text).toContain('1.4 % between repeats, 2.1 % between seconds');
  expect(text).toContain("repeat 4: no operation ended for 10 s: see 'ceph health detail'");
  expect(text).not.toContain('OSDs of this round');
  expect(text).not.toContain('No OSD stands out'); // it has measured none
  expect(text).toContain('1–12 of 12');
  expect(text).toContain('30 s a run, pool perf_bench, on workers node-0, node-1');
  const [throughput, latency] = labels(fixture);
  expect(throughput).toMatch(
    /^Throughput of 4 clients together in repeat 3, 30 seconds: 1\d{3} to 1\d{3} MiB\/s/,
  );
  expect(latency).toMatch(/^Mean latency of 4 clients in repeat 3, 30 seconds: 2\d\d\.\d to/);
});

test('a round on workers: who ran which client, what each host did, when it began', async () => {
  const fixture = open('27');
  await until(fixture, (shown) => shown.includes('Workers by repeat'));
  const rowsOf = (name: string): string[] => {
    const table = (fixture.nativeElement as HTMLElement).querySelector(`[aria-label='${name}']`);
    return [...(table?.querySelectorAll('tbody tr') ?? [])].map((row) =>
      [...row.querySelectorAll('td')].map((cell) => cell.textContent.trim()).join(' | '),
    );
  };
  const workers = rowsOf('Workers by repeat');
  expect(workers).toHaveLength(6);
  expect(workers[0]).toMatch(
    /^1 \| node-0 \| node-0 \| 0, 2 \| \d+\.?\d* \| 12\.0 \| \+0\.1 ± 0\.4 ms$/,
  );
  expect(workers[1]).toMatch(/\| 32\.0 \| \+90000 ± 0\.4 ms$/);
  expect(rowsOf('Clients by repeat')[1]).toMatch(/^1 \| 1 \| node-1 \|/);
});

test('another repeat is chosen', async () => {
  const fixture = open('27');
  await until(fixture, (shown) => shown.includes('Clients by repeat'));
  const select = (fixture.nativeElement as HTMLElement).querySelector('select')!;
  select.value = '1';
  select.dispatchEvent(new Event('change'));
  await until(fixture, () => labels(fixture)[0]?.includes('in repeat 1,') === true);
});

test('a repeat that goes on is shown live', async () => {
  const made = world({ rounds: 28 });
  made.http.answers.start({ profile: 'rados-write' });
  standsAt(made.http.answers, 5);
  const fixture = open('29', made);
  const text = await until(fixture, (shown) => shown.includes('running now'));
  expect(text).toContain('Round 29 is running');
  expect(labels(fixture)[0]).toMatch(/4 clients together in repeat 1, [56] seconds/);
  standsAt(made.http.answers, 15);
  await until(fixture, () => /repeat 1, (1[5-9]|2\d) seconds/.test(labels(fixture)[0] ?? ''));
});

test('what has no answer any more is not shown as running now', async () => {
  const made = world({ rounds: 28 });
  const { answers } = made.http;
  answers.start({ profile: 'rados-write' });
  standsAt(answers, 5);
  const fixture = open('29', made);
  await until(fixture, (shown) => shown.includes('running now'));
  const real = answers.answer.bind(answers);
  answers.answer = (question) => {
    if (question.path.endsWith('/live')) throw new Refused(500, 'fault', 'this one broke');
    return real(question);
  };
  const text = await until(fixture, (shown) => shown.includes('Not current: this one broke'));
  expect(text).not.toContain('running now');
  expect(labels(fixture)[0]).toMatch(/in repeat 1, [56] seconds/); // what is known stays
  answers.answer = real;
  await until(fixture, (shown) => shown.includes('running now'));
});

test('while nothing is known of the clients it does not say that they have not started', async () => {
  const made = world({ rounds: 28 });
  const { answers } = made.http;
  answers.start({ profile: 'rados-write' });
  const real = answers.answer.bind(answers);
  answers.answer = (question) => {
    if (question.path.endsWith('/live')) throw new Refused(500, 'fault', 'this one broke');
    return real(question);
  };
  const text = await until(open('29', made), (shown) => shown.includes('this one broke'));
  expect(text).not.toContain('have not started yet');
});

test('a search: the curve, the knee, and what to run at', async () => {
  const fixture = open('28');
  const text = await until(fixture, (shown) => shown.includes('Where it saturates'));
  expect(text).toContain('7 runs of up to 11; running every combination would take 35');
  expect(text).toContain(
    'Run at 4 clients × 8: 91 % of the highest throughput at 14 % of its latency',
  );
  expect(labels(fixture)[0]).toMatch(
    /at 5 loads: peak 8 clients × 32, 1149 MiB\/s; knee 4 clients × 16, 1122 MiB\/s; recommended 4 clients × 8,/,
  );
  const rows = [...(fixture.nativeElement as HTMLElement).querySelectorAll('tbody tr')];
  const recommended = rows.find((row) => row.textContent.includes('recommended'));
  expect(recommended?.textContent).toContain('4 clients × 8');
});

test('a search of few loads is not compared with running all of them', async () => {
  const fixture = open('28');
  await until(fixture, (shown) => shown.includes('Where it saturates'));
  const shown = fixture.debugElement.query(By.directive(SaturationComponent));
  const round = (shown.componentInstance as SaturationComponent).round();
  const few = TestBed.createComponent(SaturationComponent);
  const saturation = round.saturation && { ...round.saturation, most_runs: 5, grid: 2 };
  few.componentRef.setInput('round', { ...round, saturation });
  const text = await until(few, (found) => found.includes('7 runs of up to 5'));
  expect(text).not.toContain('every combination');
});

test('seconds are what was done in them, from what was done by then', () => {
  const rows = [
    [0, 0, 0],
    [1, 100, 0.01],
    [2, 100, 0.01],
    [4, 200, 0.02],
  ];
  expect(secondsOf(rows)).toEqual([
    { second: 1, operations: 100, latency: 0.01 },
    { second: 2, operations: 0, latency: null },
    { second: 4, operations: 50, latency: 0.03 },
  ]);
});

test('together counts only while all run; a late one is shifted', () => {
  const one = (client: number, started_at: string | null, done: number) => ({
    client,
    started_at,
    series: [1, 2, 3].map((second) => [second, second * done, 0.01 * (client + 1)]),
  });
  const begun = [one(0, '2026-11-21T03:00:00.0Z', 10), one(1, '2026-11-21T03:00:00.9Z', 30)];
  const whole = summed(aligned(begun));
  expect(whole.map(({ second, operations }) => [second, operations])).toEqual([
    [2, 40],
    [3, 40],
  ]);
  expect(whole[0]?.latency).toBeCloseTo(0.0175);
  const live = [one(0, null, 10), one(1, null, 30)];
  expect(summed(aligned(live)).map(({ second }) => second)).toEqual([1, 2, 3]);
});
