import { ComponentFixture } from '@angular/core/testing';
import { FindingDetail, Incident, PeerSeries } from '../../generated/types';
import { World, world } from '../../testing/recorded';
import { button, show, shownText, until } from '../../testing/settle';
import { palette } from '../charts/palette';
import { Refusal } from '../core/refusal';
import { mapRoute } from '../map/marking';
import { targetRoute } from '../shared/target.component';
import { bandOption, bandPoints } from './band-chart';
import { IncidentComponent } from './incident.component';

const INCIDENT = 'GET finding/4/incident';
const finding = (made: World): FindingDetail => made.http.body<FindingDetail>('GET finding/4');
const shown = (made: World): ComponentFixture<IncidentComponent> =>
  show(IncidentComponent, made, { finding: finding(made) });

const SERIES: PeerSeries = {
  from: '2026-01-01T00:00:00Z',
  to: '2026-01-01T01:00:00Z',
  channel: 'commit',
  cohort: 'hdd',
  osds: [3],
  peers: 2,
  all_peers: 2,
  columns: ['at', 'seconds', 'own_ms', 'low_ms', 'median_ms', 'high_ms'],
  rows: [
    [0, 60, 5, 1, 2, 3],
    [60, 60, null, 1, 2, 3],
    [600, 60, 6, null, null, null],
  ],
};

test('the band is stacked, gaps stay gaps, and the begin is marked', () => {
  const points = bandPoints(SERIES);
  expect(points.map(({ at }) => at)).toEqual([0, 60_000, 120_000, 600_000]);
  expect(points[2]).toMatchObject({ own: null, low: null });
  const option = bandOption(SERIES, 'osd.3', '2026-01-01T00:10:00Z', palette(false));
  const [low, band, median, own] = option['series'] as {
    data: [number, number | null][];
    markLine?: { data: object[] };
  }[];
  expect(
    [low?.data[0], band?.data[0], median?.data[0], own?.data[0]].map((one) => one?.[1]),
  ).toEqual([1, 2, 2, 5]);
  expect(band?.data[3]?.[1]).toBeNull();
  expect(own?.markLine?.data).toEqual([{ xAxis: '2026-01-01T00:10:00Z' }]);
});

test('a finding without OSDs has no card for their latencies', async () => {
  const made = world();
  made.http.change<Incident>(INCIDENT, { series: null });
  const fixture = shown(made);
  await until(fixture, (text) => text.includes('What changed then'));
  const card = (fixture.nativeElement as HTMLElement).querySelector<HTMLElement>('section');
  expect(card?.hidden).toBe(true);
});

test('what is hidden, left out or not watched is said', async () => {
  const made = world();
  made.http.change<Incident>(INCIDENT, {
    configuration: 'hidden',
    events_left_out: { round: 22, config: 1 },
    known_seconds: 1800,
  });
  const text = await until(shown(made), (words) => words.includes('lack config-opt read'));
  expect(text).toContain('Not shown: 22 older rounds');
  expect(text).toContain('Not shown: 1 older change of the configuration');
  expect(text).toContain('known for 30 min 00 s of these 2 h 1');
});

test('where things are', () => {
  expect(targetRoute({ kind: 'host', id: 'a/b' })).toBe('/hosts/a%2Fb');
  expect(mapRoute({ kind: 'osd', id: '3' })).toBe('/map?layer=ratio&mark=osd.3');
  expect(mapRoute({ kind: 'host', id: 'h' })).toBe('/map?layer=ratio&group=host&mark=h');
  expect(mapRoute({ kind: 'pool', id: 'p' })).toBeNull();
});

test('the span that was chosen stays when the finding is seen again', async () => {
  const made = world();
  const fixture = shown(made);
  await until(fixture, (text) => text.includes('grey: the middle'));
  const chosen = (): string | null => button(fixture, '30 days').getAttribute('aria-pressed');
  button(fixture, '30 days').click();
  await until(fixture, () => chosen() === 'true');
  fixture.componentRef.setInput('finding', { ...finding(made), last_seen: '2030-01-01T00:00:00Z' });
  await until(fixture, () => true);
  expect(chosen()).toBe('true');
});

test('what was asked for another span is not shown where this one is refused', async () => {
  const made = world();
  made.http.refuses = ({ query }) =>
    query['since'] === '30d' ? new Refusal('broken', 'this one broke') : null;
  const fixture = shown(made);
  await until(fixture, (text) => text.includes('grey: the middle'));
  made.http.holds = ({ query }) => query['since'] === '30d';
  button(fixture, '30 days').click();
  await until(fixture, () => made.http.letGo.length > 0);
  expect(shownText(fixture)).toContain('grey: the middle'); // until the other is there
  for (const go of made.http.letGo) go();
  const text = await until(fixture, (words) => words.includes('this one broke'));
  expect(text).not.toMatch(/grey: the middle|What changed then|Not current/);
});

test('the OSDs of one finding are not shown as those of another', async () => {
  const made = world();
  const fixture = shown(made);
  await until(fixture, (text) => text.includes('Latency of osd.4 ('));
  made.http.holds = ({ name }) => name === 'GET finding/2/incident';
  fixture.componentRef.setInput('finding', { ...finding(made), id: 2 });
  await until(fixture, () => made.http.letGo.length > 0);
  expect(shownText(fixture)).not.toContain('Latency of osd.4 (');
});
