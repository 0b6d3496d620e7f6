import { LIMITS } from '../../../fake/limits.mjs';
import { Osd, RoundLine, Status } from '../../generated/types';
import { assess } from './assess';

const status = (change: Partial<Status> = {}): Status =>
  ({
    findings: { error: 0, warning: 0, info: 0 },
    limits: LIMITS,
    store: { error: null, rounds: 1 },
    ...change,
  }) as Status;
const round = (verdict: RoundLine['verdict'], ended = true): RoundLine =>
  ({ id: 9, verdict, ended_at: ended ? '2026-01-01T00:00:00Z' : null }) as RoundLine;
const osd = (percent: number, z: number): Osd =>
  ({ osd: 3, last_bench: { percent_of_peers: percent, robust_z: z } }) as Osd;
const fine = osd(99, -0.5);
const slow = osd(60, -12);

test.each<[string, Status, RoundLine[], Osd[], string[]]>([
  ['all is well', status(), [round('valid')], [fine], []],
  ['never measured', status(), [], [], ['overview.no-rounds']],
  ['the first round still runs', status(), [round(null, false)], [], ['overview.no-rounds']],
  ['one slow', status(), [round('valid')], [slow, fine], ['overview.slow.one']],
  ['two slow', status(), [round('valid')], [slow, slow, fine], ['overview.slow.many']],
  ['far from its peers by chance', status(), [round('valid')], [osd(60, -2)], []],
  ['noisy', status(), [round('noisy')], [fine], ['overview.bad-round']],
  ['an older one was noisy', status(), [round('valid'), round('noisy')], [fine], []],
  [
    'findings, too',
    status({ findings: { error: 1, warning: 0, info: 5 } }),
    [round('failed')],
    [slow],
    ['overview.findings', 'overview.slow.one', 'overview.bad-round'],
  ],
  [
    'no database: not that nothing was measured',
    status({ store: { error: 'away', backend: null, rounds: null, schema_version: null } }),
    [],
    [],
    ['overview.store'],
  ],
])('%s', (_, now, rounds, osds, keys) => {
  expect(assess(now, rounds, osds).map((remark) => remark.key)).toEqual(keys);
});

test('when all that were asked for are slow there may be more', () => {
  const [remark] = assess(status(), [round('valid')], [slow, slow]);
  expect(remark?.values).toEqual({ count: '2+' });
});
