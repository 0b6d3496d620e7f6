import { TestBed } from '@angular/core/testing';
import { HostSettings } from './host-settings';
import { Http } from './http';

interface Canned {
  readonly status?: number;
  readonly text?: string;
  readonly total?: string;
}

const asked: { url: string; request: RequestInit }[] = [];

function answering(canned: Canned | Error): Http {
  asked.length = 0;
  const host = new HostSettings(() => undefined);
  host.take('base-path', '/ceph/api/perf_bench/');
  globalThis.fetch = (url, request) => {
    asked.push({ url: url as string, request: request ?? {} });
    if (canned instanceof Error) return Promise.reject(canned);
    const headers = new Headers(canned.total ? { 'X-Total-Count': canned.total } : {});
    const { status = 200, text = '[]' } = canned;
    const json = async (): Promise<unknown> => Promise.resolve(JSON.parse(text) as unknown);
    return Promise.resolve({ ok: status < 400, status, headers, json } as Response);
  };
  TestBed.configureTestingModule({ providers: [{ provide: HostSettings, useValue: host }] });
  return TestBed.inject(Http);
}

test('a question goes to the base path in the dashboard’s dialect', async () => {
  await answering({ text: '{}' }).get('round/3', { limit: 5, offset: 0, search: '', none: null });
  expect(asked[0]?.url).toBe('/ceph/api/perf_bench/round/3?limit=5&offset=0');
  expect(asked[0]?.request).toMatchObject({
    credentials: 'same-origin',
    headers: { Accept: 'application/vnd.ceph.api.v1.0+json' },
  });
});

test.each([
  ['the header says how many there are', { text: '[1,2]', total: '40' }, 40],
  ['without the header the page is all', { text: '[1,2]' }, 2],
  ['a header of garbage counts as none', { text: '[1,2]', total: 'many' }, 2],
])('%s', async (_, canned, total) => {
  expect((await answering(canned).page('round')).total).toBe(total);
});

test.each<[string, Canned | Error, string]>([
  ['no network', new TypeError('Failed to fetch'), 'unreachable'],
  ['an error page of a proxy', { status: 502, text: '<html>' }, 'unreachable'],
  ['a proxy with no dashboard behind it', { status: 503, text: '<html>' }, 'unreachable'],
  ['a log-in page instead of JSON', { status: 200, text: '<html>' }, 'broken'],
  ['an object where a list belongs', { text: '{}' }, 'broken'],
  ['no session', { status: 401, text: '{}' }, 'logged-out'],
])('%s is refused', async (_, canned, kind) => {
  await expect(answering(canned).page('round')).rejects.toMatchObject({ kind });
});

test.each<[string, (http: Http) => Promise<unknown>]>([
  ['POST', (http) => http.post('round/3/abort')],
  ['DELETE', (http) => http.delete('round/3')],
])('a log-in page instead of an answer does not count as a %s that was done', async (_, change) => {
  const http = answering({ status: 200, text: '<html>' });
  await expect(change(http)).rejects.toMatchObject({ kind: 'broken' });
});

test('what is deleted has an answer without a body', async () => {
  await expect(answering({ status: 204, text: '' }).delete('round/3')).resolves.toBeUndefined();
});

test('whoever calls a question off is told so, not that the network is away', async () => {
  const aborted = new DOMException('off', 'AbortError');
  const control = new AbortController();
  control.abort();
  await expect(answering(aborted).get('x', {}, control.signal)).rejects.toBe(aborted);
});

test('a body goes as JSON', async () => {
  await answering({ text: '{"id":1}' }).post('round', { profile: 'p' });
  expect(asked[0]?.request).toMatchObject({ method: 'POST', body: '{"profile":"p"}' });
});

test('an answer that asks for a log-in is announced to the host page', async () => {
  const announced: string[] = [];
  const host = new HostSettings((type) => announced.push(type));
  const headers = new Headers();
  globalThis.fetch = () =>
    Promise.resolve({
      ok: false,
      status: 401,
      headers,
      json: () => Promise.resolve({}),
    } as Response);
  TestBed.configureTestingModule({ providers: [{ provide: HostSettings, useValue: host }] });
  await expect(TestBed.inject(Http).get('status')).rejects.toBeDefined();
  expect(announced).toEqual(['perf-bench-unauthorized']);
});
