import { HostSettings, parsePermissions } from './host-settings';

test.each([
  ['{"read":true,"update":true}', { read: true, update: true }],
  ['{"read":false}', { read: false, update: false }],
  ['{"read":"yes","update":1}', { read: false, update: false }], // only true is true
  ['nonsense', { read: true, update: false }],
  [null, { read: true, update: false }],
])('permissions %p', (text, permissions) => expect(parsePermissions(text)).toEqual(permissions));

test.each([
  ['dark', true],
  ['light', false],
  ['auto', false], // the test's system is light
  ['plaid', false],
])('theme %p is dark: %p', (theme, dark) => {
  const host = new HostSettings(() => undefined);
  host.take('theme', theme);
  expect(host.dark()).toBe(dark);
});

test('an attribute that is taken away has its usual value again', () => {
  const host = new HostSettings(() => undefined);
  for (const value of ['/x/', null]) host.take('base-path', value);
  expect(host.basePath()).toBe('api/perf_bench');
  host.take('unknown', 'x');
});
