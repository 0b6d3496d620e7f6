import { ClusterLatency, Laggy } from '../../generated/types';
import { clientTiles, laggyTile } from './now';

const TO = 1_767_229_200;

/** An hour in minutes; each minute's latency and writes by how many minutes ago it began. */
function hour(ms: (ago: number) => number | null, ops = 100): ClusterLatency {
  const rows = Array.from({ length: 60 }, (_, index) => 60 - index);
  return {
    from: new Date((TO - 3600) * 1000).toISOString(),
    to: new Date(TO * 1000).toISOString(),
    channel: 'client_write',
    columns: ['at', 'seconds', 'read_ops', 'write_ops', 'read_bytes', 'write_bytes'],
    work: rows.map((ago) => [TO - 60 * ago, 60, 0, ops, 0, ops * 2 ** 20]),
    groups: [{ group: '', rows: rows.map((ago) => [TO - 60 * ago, 6, ms(ago), null, null]) }],
  } as unknown as ClusterLatency;
}

const stalled = hour((ago) => (ago <= 5 ? 30 : 6));

test('what clients feel and do, now against an hour ago', () => {
  expect(clientTiles(stalled)).toEqual([
    { name: 'Client writes', now: '30.0 ms', before: '6.00 ms', worse: true },
    { name: 'Client IOPS', now: '100', before: '100', worse: false },
    { name: 'Client MiB/s', now: '100.0', before: '100.0', worse: false },
  ]);
});

test('what was not measured is not written', () => {
  const none = clientTiles({ ...hour(() => null), work: [] });
  expect(none.map(({ now, before }) => [now, before])).toEqual(Array(3).fill([null, null]));
  const young = hour((ago) => (ago < 20 ? 6 : null));
  expect(clientTiles(young)[0]).toMatchObject({ now: '6.00 ms', before: null, worse: false });
});

describe('laggy PGs', () => {
  const laggy = (now: number, episodes: object[]): Laggy =>
    ({ now: { laggy: now, at: '2026-01-01T00:59:55Z' }, episodes }) as unknown as Laggy;
  const iso = (minutes: number): string => new Date((TO - 60 * minutes) * 1000).toISOString();

  test.each<[string, Laggy, string, string | null, boolean]>([
    ['none', laggy(0, [{ to: iso(90), peak: 9 }]), iso(600), '0', false],
    ['some a while ago', laggy(0, [{ to: iso(10), peak: 9 }]), iso(600), '9', false],
    ['now', laggy(4, [{ to: null, peak: 7 }]), iso(5), '7', true],
    ['watched for too short a time to say', laggy(0, []), iso(5), null, false],
  ])('%s', (_, found, since, before, worse) => {
    expect(laggyTile(found, since, TO * 1000)).toMatchObject({ before, worse });
  });
});
