import { HostSettings, parsePermissions } from './host-settings';

test.each([
  ['{"osd":["read","create"],"pool":[]}', { osd: ['read', 'create'], pool: [] }],
  ['{"osd":["read",1,null],"pool":"all","x":{"read":true}}', { osd: ['read'] }],
  ['{}', {}],
  ['{"read":true,"update":true}', {}],
  ['nonsense', { osd: ['read'] }],
  ['7', { osd: ['read'] }],
  ['null', { osd: ['read'] }],
  [null, { osd: ['read'] }],
])('permissions %p', (text, permissions) => expect(parsePermissions(text)).toEqual(permissions));

test.each([
  [{ osd: ['read'] }, [true, false, false, false]],
  [{ osd: ['create'] }, [false, true, false, false]],
  [{ osd: ['delete'], 'config-opt': ['update'] }, [false, false, true, false]],
  [{ osd: ['create'], 'config-opt': ['update'] }, [false, true, false, true]],
  [{ pool: ['read', 'create'] }, [false, false, false, false]],
  [{}, [false, false, false, false]],
])('who has %p may: %p', (permissions, allowed) => {
  const host = new HostSettings(() => undefined);
  host.permissions.set(permissions);
  expect([
    host.may('GET status'),
    host.may('POST round'),
    host.may('DELETE round/ID'),
    host.may('POST mclock/apply'),
  ]).toEqual(allowed);
});

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
