import { TestBed } from '@angular/core/testing';
import { world } from '../../testing/recorded';
import { Http } from './http';
import { StockPages } from './stock';

function pages(instance: unknown, basePath = '/api/perf_bench'): StockPages {
  const made = world();
  made.host.basePath.set(basePath);
  const beside = (): Promise<unknown> =>
    instance instanceof Error ? Promise.reject(instance) : Promise.resolve({ instance });
  TestBed.configureTestingModule({
    providers: [...made.providers, { provide: Http, useValue: { beside } }],
  });
  return TestBed.inject(StockPages);
}

async function links(of: StockPages, kind: string, id: string): Promise<readonly string[]> {
  TestBed.tick();
  await new Promise((done) => setTimeout(done));
  return of.links({ kind, id }).map(({ href }) => href);
}

test.each([
  ['osd', '3', 'https://g/d/CrAHE0iZz/osd-device-details?var-osd=osd.3', '#/osd'],
  ['host', 'a b', 'https://g/d/rtOg0AiWz/host-details?var-ceph_hosts=a%20b', '#/hosts'],
  ['pool', 'p', 'https://g/d/-xyV8KCiz/ceph-pool-details?var-pool_name=p', '#/pool'],
])('%s %s', async (kind, id, board, hash) => {
  const made = pages('https://g/', '/ceph/api/perf_bench');
  expect(await links(made, kind, id)).toEqual([`/ceph/${hash}`, board]);
});

test.each([[''], [undefined], ['javascript:alert(1)'], [new Error('403')]])(
  'without a Grafana (%p) there is no link to it',
  async (instance) => {
    expect(await links(pages(instance), 'osd', '3')).toEqual(['/#/osd']);
  },
);

test('a list alone has no Grafana page, and a rack no page at all', async () => {
  const made = pages('https://g');
  expect(await links(made, 'pool', '')).toEqual(['/#/pool']);
  expect(await links(made, 'rack', 'r1')).toEqual([]);
});
