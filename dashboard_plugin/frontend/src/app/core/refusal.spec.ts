import { Refusal, asRefusal } from './refusal';

test.each([
  [400, { detail: 'bad', field: 'osds', code: 'invalid' }, 'bad-request', 'bad', 'osds'],
  [401, {}, 'logged-out', '', ''],
  [403, { detail: 'no' }, 'forbidden', 'no', ''],
  [404, { detail: 'gone' }, 'not-found', 'gone', ''],
  [409, { detail: 'busy' }, 'busy', 'busy', ''],
  [503, { detail: 'off', component: 'perf_bench', code: 'ENOENT' }, 'off', 'off', ''],
  [
    503,
    { detail: 'no answer', component: 'perf_bench', code: 'EAGAIN' },
    'store-away',
    'no answer',
    '',
  ],
  [500, undefined, 'broken', '', ''],
  [502, '<html>', 'unreachable', '', ''], // a proxy's page
  [400, { detail: { nested: 1 } }, 'bad-request', '', ''], // no sentence: ours is shown
])('status %p with %p', (status, body, kind, message, field) => {
  expect(Refusal.from(status, body)).toMatchObject({ kind, message, field });
});

test('anything thrown is a refusal', () => {
  expect(asRefusal(new TypeError('odd'))).toMatchObject({ kind: 'broken' });
  const refusal = new Refusal('busy', 'x');
  expect(asRefusal(refusal)).toBe(refusal);
});

test('only what may pass by itself is asked again unasked', () => {
  const passing = (
    ['off', 'store-away', 'unreachable', 'broken', 'forbidden', 'not-found', 'logged-out'] as const
  )
    .map((kind) => new Refusal(kind, ''))
    .filter((refusal) => refusal.passing)
    .map((refusal) => refusal.kind);
  expect(passing).toEqual(['off', 'store-away', 'unreachable', 'broken']);
});

const OURS = { component: 'perf_bench' };
test.each([
  [503, { ...OURS, code: 'ENOENT' }, 'off'],
  [503, { ...OURS, code: 'EAGAIN' }, 'store-away'],
  [503, { ...OURS, code: 'EIO' }, 'broken'],
  [504, { ...OURS, code: 'ETIMEDOUT' }, 'broken'],
  // A proxy without a dashboard behind it, with a page of its own or with JSON.
  [503, undefined, 'unreachable'],
  [503, { message: 'no healthy upstream' }, 'unreachable'],
  [502, undefined, 'unreachable'],
  [504, undefined, 'unreachable'],
])('%p %p is %p', (status, body, kind) => {
  expect(Refusal.from(status, body).kind).toBe(kind);
});
