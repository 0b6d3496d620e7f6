import { ComponentFixture, TestBed } from '@angular/core/testing';
import { Refused } from '../../../fake/refused.mjs';
import { PeerSeries } from '../../generated/types';
import { palette } from '../charts/palette';
import { HostComponent } from '../hosts/host.component';
import { mapRoute } from '../map/marking';
import { World, world } from '../../testing/fake-http';
import { button, shownText, until } from '../../testing/settle';
import { targetRoute } from '../shared/target.component';
import { bandOption, bandPoints } from './band-chart';
import { FindingComponent } from './finding.component';
import { IncidentComponent } from './incident.component';

function open(id: string, made: World = world()): ComponentFixture<FindingComponent> {
  TestBed.configureTestingModule({ providers: made.providers });
  const fixture = TestBed.createComponent(FindingComponent);
  fixture.componentRef.setInput('id', id);
  return fixture;
}

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

test('a finding in full: what it hurts, what is advised, what changed', async () => {
  const text = await until(open('2'), (shown) => shown.includes('What changed then'));
  expect(text).toContain('osd.14 in channel commit, against the middle 80 % of 63 of 23 peers');
  expect(text).toContain('Placement groups on these OSDs97');
  expect(text).toContain('rbd, cephfs_data');
  expect(text).toContain('Configuration: osd/osd_max_backfills from 1 to 8');
  expect(text).toContain('1.2 on average before, 14.6 after it began');
  expect(text).toContain('the processors of host-1 use idle states down to C6');
});

test('a span is chosen', async () => {
  const made = world();
  const fixture = open('2', made);
  await until(fixture, (text) => text.includes('What changed then'));
  expect(made.http.asked).toContain('GET finding/2/incident?since=1d');
  const asked = made.http.asked.length;
  button(fixture, '30 days').click();
  await until(fixture, () => made.http.asked.length > asked);
});

test('a finding without OSDs has no card for their latencies', async () => {
  const fixture = open('4');
  await until(fixture, (text) => text.includes('What changed then'));
  const card = (fixture.nativeElement as HTMLElement).querySelector<HTMLElement>(
    'pb-incident > section',
  );
  expect(card?.hidden).toBe(true);
});

test('hidden and unknown changes, and a doctor that cannot look, are said', async () => {
  const made = world();
  const { overTime } = made.http.answers;
  const whole = overTime.incident.bind(overTime);
  overTime.incident = (id: string, query: URLSearchParams) => ({
    ...whole(id, query),
    advice: null,
    configuration: 'hidden',
  });
  const text = await until(open('2', made), (shown) => shown.includes('lack config-opt read'));
  expect(text).toContain('The doctor cannot look');
});

test('events that are left out are counted, and how much of the time was watched is said', async () => {
  const made = world();
  const { overTime } = made.http.answers;
  const whole = overTime.incident.bind(overTime);
  overTime.incident = (id: string, query: URLSearchParams) => ({
    ...whole(id, query),
    events_left_out: { round: 22, config: 1 },
    known_seconds: 1800,
  });
  const text = await until(open('2', made), (shown) => shown.includes('Not shown'));
  expect(text).toContain('Not shown: 22 older rounds');
  expect(text).toContain('Not shown: 1 older change of the configuration');
  expect(text).toContain('known for 30 min 00 s of these 2 h 15 min');
});

test('where things are', () => {
  expect(targetRoute({ kind: 'host', id: 'a/b' })).toBe('/hosts/a%2Fb');
  expect(mapRoute({ kind: 'osd', id: '3' })).toBe('/map?layer=ratio&mark=osd.3');
  expect(mapRoute({ kind: 'host', id: 'h' })).toBe('/map?layer=ratio&group=host&mark=h');
  expect(mapRoute({ kind: 'pool', id: 'p' })).toBeNull();
});

describe('a host', () => {
  const show = (name: string): ComponentFixture<HostComponent> => {
    TestBed.configureTestingModule({ providers: world().providers });
    const fixture = TestBed.createComponent(HostComponent);
    fixture.componentRef.setInput('name', name);
    return fixture;
  };

  test('its findings, OSDs, reports and rounds', async () => {
    const text = await until(show('host-0'), (shown) => shown.includes('osd.7'));
    expect(text).toContain('8 OSDs');
    expect(text).toContain('2.2 times as slow'); // a finding that is over
    expect(text).toContain('Deepest C-stateC6');
    expect(text).toContain('Memory256 GiB');
    expect(text).not.toContain('IOMMU'); // not reported
    expect(text).toContain('osd-throughput');
  });

  test('one that reported nothing', async () => {
    await until(show('host-2'), (text) => text.includes('has not reported anything'));
  });

  test('one that does not exist', async () => {
    await until(show('nix'), (text) => text.includes("no host 'nix'"));
  });
});

describe('an incident', () => {
  function shown(made: World): ComponentFixture<IncidentComponent> {
    TestBed.configureTestingModule({ providers: made.providers });
    const fixture = TestBed.createComponent(IncidentComponent);
    fixture.componentRef.setInput('finding', made.http.answers.watch.finding('2'));
    return fixture;
  }

  test('the span that was chosen stays when the finding is seen again', async () => {
    const made = world();
    const fixture = shown(made);
    await until(fixture, (text) => text.includes('in channel commit'));
    const chosen = (): string | null => button(fixture, '30 days').getAttribute('aria-pressed');
    button(fixture, '30 days').click();
    await until(fixture, () => chosen() === 'true');
    const again = { ...made.http.answers.watch.finding('2'), last_seen: '2030-01-01T00:00:00Z' };
    fixture.componentRef.setInput('finding', again);
    await until(fixture, () => true);
    expect(chosen()).toBe('true');
  });

  test('what was asked for another span is not shown where this one is refused', async () => {
    const made = world();
    const { answers } = made.http;
    const real = answers.answer.bind(answers);
    answers.answer = (question) => {
      if (question.query.get('since') === '30d') throw new Refused(500, 'fault', 'this one broke');
      return real(question);
    };
    const fixture = shown(made);
    await until(fixture, (text) => text.includes('in channel commit'));
    made.http.holds = (_, query) => query['since'] === '30d';
    button(fixture, '30 days').click();
    await until(fixture, () => made.http.letGo.length > 0);
    const label = (): string | null | undefined =>
      (fixture.nativeElement as HTMLElement)
        .querySelector('[role=img]')
        ?.getAttribute('aria-label');
    expect(label()).toMatch(/peers, A day: last \d+\.\d ms, peers \d+\.\d ms/); // what shows until the other is there
    for (const go of made.http.letGo) go();
    const text = await until(fixture, (words) => words.includes('this one broke'));
    expect(text).not.toMatch(/in channel commit|What changed then|Not current/);
    button(fixture, 'A day').click();
    await until(fixture, (words) => words.includes('in channel commit'));
  });

  test('what one finding hurts is not shown as that of another', async () => {
    const made = world();
    const fixture = shown(made);
    await until(fixture, (text) => text.includes('osd.14 in channel commit'));
    made.http.holds = (path) => path === 'finding/3/incident';
    fixture.componentRef.setInput('finding', made.http.answers.watch.finding('3'));
    await until(fixture, () => made.http.letGo.length > 0);
    expect(shownText(fixture)).not.toContain('osd.14 in channel commit');
  });
});
