import { TestBed } from '@angular/core/testing';
import { Finding } from '../../generated/types';
import { world } from '../../testing/fake-http';
import { I18n } from '../i18n/i18n';
import { findingText } from './said';

async function speaking(locale: string): Promise<I18n> {
  const made = world();
  made.host.locale.set(locale);
  TestBed.configureTestingModule({ providers: made.providers });
  const i18n = TestBed.inject(I18n);
  TestBed.tick();
  for (let tries = 0; tries < 200 && i18n.t('common.yes') !== 'ja'; tries += 1) {
    if (locale === 'en') break;
    await new Promise((next) => setTimeout(next, 10));
  }
  return i18n;
}

function finding(code: string, kind: string, id: string, evidence: object): Finding {
  const message = 'as the module says it';
  return { code, target: { kind, id }, evidence, message, first_seen: null } as never;
}

const SLOW = { ratio: 4.13, channel: 'commit', latency_ms: 41.2, peers_latency_ms: 10, peers: 7 };
const AT = { since: Date.UTC(2026, 10, 21, 12) / 1000, host: 'host-1' };

const CASES: [string, Finding, string][] = [
  [
    'a slow OSD',
    finding('PERF_BENCH_SLOW_OSD', 'osd', '3', { ...SLOW, ...AT }),
    'osd.3 auf host-1 ist 4,1-mal so langsam wie 7 Vergleichs-OSDs (commit 41,2 ms gegen 10,0 ms)',
  ],
  [
    'one that is slow in bursts',
    finding('PERF_BENCH_SLOW_OSD', 'osd', '3', { ...SLOW, ...AT, bursts_24h: 1 }),
    'schubweise 4,1-mal so langsam wie 7 Vergleichs-OSDs, 1 Schub in 24 h',
  ],
  [
    'a slow host',
    finding('PERF_BENCH_SLOW_HOST', 'host', 'host-2', { ...SLOW, ...AT, members: 20 }),
    'host-2 (20 OSDs) ist 4,1-mal so langsam wie vergleichbare',
  ],
  [
    'a slower profile',
    finding('PERF_BENCH_REGRESSION', 'profile', 'osd-throughput', {
      ...{ change_percent: -12.34, since_round: 7, rounds_after: 3 },
      ...{ bytes_per_second_before: 100 * 2 ** 20, bytes_per_second_after: 87.5 * 2 ** 20 },
    }),
    'seit Lauf 7 um 12,3 % langsamer: 100,0 -> 87,5 MiB/s im Median, über 3 Läufe',
  ],
  [
    'an OSD that comes and goes',
    finding('PERF_BENCH_OSD_FLAPPING', 'osd', '3', { host: 'host-1', flaps: 4 }),
    'osd.3 auf host-1 ist 4-mal ausgefallen und wiedergekommen',
  ],
];

test.each(CASES)('%s, in German', async (_, given, sentence) => {
  expect(findingText(given, await speaking('de-DE'))).toContain(sentence);
});

test.each(CASES)('%s: English is the module’s own', async (_, given) => {
  expect(findingText(given, await speaking('en'))).toBe('as the module says it');
});

describe('sentences of the module', () => {
  const said = {
    message: {
      code: 'laggy-osd',
      text: 'as the module says it',
      values: {
        osd: { code: 'osd-on-host', text: 'osd.3 on a', values: { osd: 3, host: 'a' } },
        percent: 98.6,
        how: { code: 'not known here', text: 'up to 4 at once', values: {} },
      },
    },
  };
  const laggy = { ...finding('PERF_BENCH_LAGGY_PGS', 'osd', '3', {}), said };

  test('are said with their values and the sentences in them', async () => {
    expect(findingText(laggy, await speaking('de-DE'))).toBe(
      'osd.3 auf a macht Placement Groups laggy: 99 % davon liegen darauf (up to 4 at once)',
    );
  });

  test('are the module’s own in English, and in a list without a code', async () => {
    expect(findingText(laggy, await speaking('en'))).toBe('as the module says it');
    const i18n = TestBed.inject(I18n);
    expect(i18n.toldAll({ reasons: ['a', 'b'] }, 'reasons')).toEqual(['a', 'b']);
    const one = { code: 'aborted', text: 'b', values: {} };
    const told = { reasons: ['a', 'b'], said: { reasons: [null, one] } };
    expect(i18n.toldAll(told, 'reasons')).toEqual(['a', 'b']);
  });

  test('in a list each by its own code', async () => {
    const i18n = await speaking('de');
    const one = { code: 'aborted', text: 'b', values: {} };
    const told = { reasons: ['a', 'b'], said: { reasons: [null, one] } };
    expect(i18n.toldAll(told, 'reasons')).toEqual(['a', 'vom Bediener abgebrochen']);
  });
});

test.each([
  ['a kind that nobody has translated', finding('PERF_BENCH_NEW', 'osd', '3', { ...SLOW, ...AT })],
  ['a value that is missing', finding('PERF_BENCH_SLOW_OSD', 'osd', '3', { ratio: 2 })],
  ['a whole cohort', finding('PERF_BENCH_SLOW_ENCLOSURE', 'cohort', 'hdd', { ...SLOW, ...AT })],
  ['several at once', finding('PERF_BENCH_OSD_FLAPPING', 'host', 'a', { flaps: 4, together: 'a' })],
])('%s is said as the module does', async (_, given) => {
  expect(findingText(given, await speaking('de-DE'))).toBe('as the module says it');
});
