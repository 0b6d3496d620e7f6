import { Refusal, asRefusal } from './refusal';

test.each([
  [400, { detail: 'bad', field: 'osds', code: 'invalid' }, 'bad-request', 'bad', 'osds'],
  [401, {}, 'logged-out', '', ''],
  [403, { detail: 'no' }, 'forbidden', 'no', ''],
  [404, { detail: 'gone' }, 'not-found', 'gone', ''],
  [409, { detail: 'busy' }, 'busy', 'busy', ''],
  [503, { detail: 'off', code: 'ENOENT' }, 'off', 'off', ''],
  [503, { detail: 'no answer', code: 'EAGAIN' }, 'store-away', 'no answer', ''],
  [500, undefined, 'broken', '', ''],
  [502, '<html>', 'broken', '', ''], // a proxy's page
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
