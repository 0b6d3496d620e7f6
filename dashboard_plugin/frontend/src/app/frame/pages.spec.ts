import { PAGES, entryOf, findPage, markOf, pagesUnder } from './pages';

const at = (route: string): readonly [string, string] => {
  const page = findPage(route.split('/').filter(Boolean))!.page;
  return [entryOf(page), markOf(page)];
};

test('five entries, one for each question', () => {
  const entries = PAGES.filter((page) => page.nav).map(({ path }) => path);
  expect(entries).toEqual(['/', '/wrong', '/map', '/rounds', '/settings']);
  for (const page of PAGES) expect(entries).toContain(entryOf(page));
});

/** Addresses of the versions before: in bookmarks, in health checks, in notes of operators. */
test.each([
  ['/', '/', '/'],
  ['/findings', '/wrong', '/wrong'],
  ['/findings/3', '/wrong', '/wrong'],
  ['/laggy', '/wrong', '/laggy'],
  ['/doctor', '/wrong', '/wrong'],
  ['/mclock', '/settings', '/settings'],
  ['/paths', '/map', '/hardware'],
  ['/crc', '/map', '/hardware'],
  ['/map', '/map', '/map'],
  ['/osds/3', '/map', '/map'],
  ['/enclosures', '/map', '/hardware'],
  ['/enclosures/x', '/map', '/hardware'],
  ['/hosts/a', '/map', '/hosts'],
  ['/rounds', '/rounds', '/rounds'],
  ['/rounds/7', '/rounds', '/rounds'],
  ['/workers', '/rounds', '/schedules'],
  ['/compare', '/rounds', '/history'],
  ['/history', '/rounds', '/history'],
  ['/schedules', '/rounds', '/schedules'],
])('%s is still there, under %s, marked as %s', (route, entry, mark) => {
  expect(at(route)).toEqual([entry, mark]);
});

test('the second line has the pages of the same question', () => {
  const paths = pagesUnder('/rounds').map(({ path }) => path);
  expect(paths).toEqual(['/rounds', '/history', '/schedules']);
  expect(pagesUnder('/')).toEqual([]);
});
