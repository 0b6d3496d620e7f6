/** What pages say of recorded clusters, whole: read the difference before you take it over (-u). */
import { TestBed } from '@angular/core/testing';
import { READER, Scene, World, world } from '../../testing/recorded';
import { linesOf, until } from '../../testing/settle';
import { Refusal } from '../core/refusal';
import { FrameComponent } from './frame.component';

const SHELF = '0x5000c500a1b2c3d4';

async function shown(route: string, made: World): Promise<string> {
  made.host.route.set(route);
  TestBed.configureTestingModule({ providers: made.providers });
  const fixture = TestBed.createComponent(FrameComponent);
  document.body.replaceChildren(fixture.nativeElement as HTMLElement);
  const main = (): Element | null =>
    (fixture.nativeElement as HTMLElement).querySelector('.pb-main');
  let before = '';
  // What comes after what has come: a page is there when it stays the same.
  await until(fixture, () => {
    const now = linesOf(main() ?? (fixture.nativeElement as HTMLElement));
    const same = now !== '' && now === before && !/Loading…|Calculating/.test(now);
    before = now;
    return same;
  });
  return before;
}

test.each([
  ...['/', '/wrong', '/findings?closed=1', '/findings/4', '/laggy', '/hardware'],
  ...['/map?view=table', '/osds/4', '/osds/0', '/hosts', '/hosts/host-0', `/enclosures/${SHELF}`],
  ...['/rounds', '/rounds/1', '/rounds/9', '/rounds/10', '/rounds/11', '/schedules', '/settings'],
  ...['/history?profile=osd-throughput', '/compare?a=1&b=6'],
])('%s', async (route) => {
  expect(await shown(route, world())).toMatchSnapshot();
});

test.each<[Scene, string]>([
  ['fresh', '/'],
  ['calm', '/'],
  ['calm', '/wrong'],
  ['suspect', '/'],
  ['running', '/'],
  ['running', '/rounds'],
  ['running', '/rounds/12'],
])('%s: %s', async (scene, route) => {
  expect(await shown(route, world({ scenes: [scene] }))).toMatchSnapshot();
});

describe('what is not there is said in a sentence', () => {
  test.each([
    ['/nowhere', 'There is no page /nowhere.'],
    ['/osds/99', 'osd.99: no such OSD in this cluster'],
    ['/osds/three', '“three” is not the number of an OSD.'],
    ['/findings/99', 'no finding 99'],
    ['/rounds/99', 'no round 99'],
    ['/rounds/-1', '“-1” is not the number of a round.'],
    ['/hosts/nobody', "no host 'nobody'"],
    ['/map?layer=speed&view=table', 'The address asks for “speed”'],
    ['/history?profile=speed', 'The address asks for “speed”'],
    ['/compare?a=3&b=3', 'Round 3 cannot be compared with itself'],
    ['/compare?a=3&b=last', '“last” is not the number of a round.'],
  ])('%s: %s', async (route, words) => {
    expect(await shown(route, world())).toContain(words);
  });
});

const ROUTES = ['/', '/wrong', '/map', '/osds/4', '/hosts', '/rounds', '/rounds/1', '/settings'];

test.each(ROUTES)('%s that is refused says why, and shows nothing', async (route) => {
  const made = world();
  made.http.refuses = ({ name }) =>
    name === 'GET status' ? null : new Refusal('broken', 'this one broke');
  const text = await shown(route, made);
  if (route !== '/wrong') expect(text).toContain('this one broke');
});

test.each(['/wrong', '/findings/4', '/rounds', '/rounds/1', '/schedules', '/settings'])(
  'who may only read has on %s no button that changes something',
  async (route) => {
    await shown(route, world({ permissions: READER }));
    const buttons = [...document.querySelectorAll('.pb-button')].map(({ textContent }) =>
      textContent.trim(),
    );
    const harmless = /^(⤓|Copy|‹|›|Compare|What to do|Fewer|Show|Ask it now)|^$/;
    expect(buttons.filter((name) => !harmless.test(name))).toEqual([]);
  },
);
