import { findPage } from '../frame/pages';
import { match, parseRoute, withQuery } from './route';

test.each([
  ['/', [], {}],
  ['', [], {}],
  ['/rounds/3', ['rounds', '3'], {}],
  ['/map?layer=iops&group=host', ['map'], { layer: 'iops', group: 'host' }],
  ['//rounds//3/', ['rounds', '3'], {}],
  ['/osds/%zz', ['osds', '%zz'], {}], // not decodable: taken as it is
])('parseRoute(%p)', (text, segments, query) => {
  expect(parseRoute(text)).toEqual({ segments, query });
});

test.each([
  ['/rounds/:id', ['rounds', '3'], { id: '3' }],
  ['/rounds/:id', ['rounds'], null],
  ['/', [], {}],
  ['/rounds', ['osds'], null],
])('match(%p, %p)', (pattern, segments, found) => expect(match(pattern, segments)).toEqual(found));

test('a query leaves out what is empty', () => {
  expect(withQuery('/map', { layer: 'cv', view: null, profile: '' })).toBe('/map?layer=cv');
  expect(withQuery('/map', {})).toBe('/map');
});

test.each([
  ['/', 'Overview'],
  ['/map', 'OSD map'],
  ['/osds/7', 'osd.{id}'],
  ['/rounds', 'Rounds'],
  ['/rounds/7', 'Round {id}'],
  ['/nowhere', undefined],
])('%p shows %p', (route, title) => {
  expect(findPage(parseRoute(route).segments)?.page.title).toBe(title);
});
