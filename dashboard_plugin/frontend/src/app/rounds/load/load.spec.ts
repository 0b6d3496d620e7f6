import { ComponentFixture } from '@angular/core/testing';
import { ActiveRound, Live, Round, Status } from '../../../generated/types';
import { World, world } from '../../../testing/recorded';
import { show, until } from '../../../testing/settle';
import { Refusal } from '../../core/refusal';
import { RoundComponent } from '../round.component';
import { SaturationComponent } from './saturation.component';
import { MARKS, labelPlace } from './saturation-chart';
import { aligned, secondsOf, summed } from './seconds';

function labels<T>(fixture: ComponentFixture<T>): (string | null)[] {
  const element = fixture.nativeElement as HTMLElement;
  return [...element.querySelectorAll('[role=img]')].map((one) => one.getAttribute('aria-label'));
}

test('labels of marks that are near stand apart', () => {
  const places = MARKS.map((mark) => JSON.stringify(labelPlace([mark])));
  expect(new Set(places).size).toBe(MARKS.length);
  expect(labelPlace(['knee', 'peak'])).toEqual({ position: 'top' });
});

test('another repeat is chosen', async () => {
  const fixture = show(RoundComponent, world(), { id: '10' });
  await until(fixture, (shown) => shown.includes('Clients by repeat'));
  const select = (fixture.nativeElement as HTMLElement).querySelector('select')!;
  select.value = '1';
  select.dispatchEvent(new Event('change'));
  await until(fixture, () => labels(fixture)[0]?.includes('in repeat 1,') === true);
});

describe('a repeat that goes on', () => {
  function running(): World {
    const made = world();
    const round = made.http.body<Round>('GET round/10');
    const [client] = round.clients;
    const active = { id: 10, progress: 0.5, waits_for: [] };
    made.http.change<Status>('GET status', { active_round: active as unknown as ActiveRound });
    made.http.change<Round>('GET round/10', { state: 'running', verdict: null, clients: [] });
    const known: Partial<Live> = { id: 10, repeat: 2, clients: [client!] };
    made.http.on('GET round/10/live', () => known);
    return made;
  }

  test('is shown live; what has no answer any more is not shown as running now', async () => {
    const made = running();
    const fixture = show(RoundComponent, made, { id: '10' });
    await until(fixture, (shown) => shown.includes('running now'));
    made.http.refuses = ({ name }) =>
      name.endsWith('/live') ? new Refusal('broken', 'this one broke') : null;
    const text = await until(fixture, (shown) => shown.includes('Not current: this one broke'));
    expect(text).not.toContain('running now');
    expect(labels(fixture)[0]).toContain('in repeat 2'); // what is known stays
  });

  test('of which nothing is known yet is not said not to have started', async () => {
    const made = running();
    made.http.refuses = ({ name }) =>
      name.endsWith('/live') ? new Refusal('broken', 'this one broke') : null;
    const fixture = show(RoundComponent, made, { id: '10' });
    const text = await until(fixture, (shown) => shown.includes('this one broke'));
    expect(text).not.toContain('have not started yet');
  });
});

test('a search of few loads is not compared with running all of them', async () => {
  const made = world();
  const round = made.http.body<Round>('GET round/11');
  const saturation = round.saturation && { ...round.saturation, most_runs: 5 };
  const fixture = show(SaturationComponent, made, { round: { ...round, saturation } });
  const text = await until(fixture, (found) => found.includes('of up to 5'));
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
