import { ComponentFixture } from '@angular/core/testing';
import { Comparison, RoundLine } from '../../generated/types';
import { World, pages, world } from '../../testing/recorded';
import { button, show, until } from '../../testing/settle';
import { palette } from '../charts/palette';
import { chance, change } from '../core/format';
import { Refusal } from '../core/refusal';
import { FrameComponent } from '../frame/frame.component';
import { compareRoute, mayBeTicked, pairOf, toggled } from '../rounds/choice';
import { intervalsOption } from './intervals-chart';

function open(route: string, made: World = world()): ComponentFixture<FrameComponent> {
  made.host.route.set(route);
  return show(FrameComponent, made);
}

const COMPARED = 'GET round/compare?a=1&b=6';

function boxOf(fixture: ComponentFixture<FrameComponent>, round: number): HTMLInputElement | null {
  const element = fixture.nativeElement as HTMLElement;
  return element.querySelector(`input[aria-label="Choose round ${round} to compare"]`);
}

function tick(fixture: ComponentFixture<FrameComponent>, round: number): void {
  boxOf(fixture, round)!.click();
}

describe('two rounds are chosen', () => {
  test.each([
    [[], 3, [3]],
    [[3], 5, [3, 5]],
    [[3, 5], 5, [3]],
    [[3, 5], 8, [5, 8]], // two at most
  ])('%p and a tick at %p: %p', (chosen, round, then) =>
    expect(toggled(chosen, round)).toEqual(then),
  );

  test('the older one is what the newer is held against', () => {
    expect(pairOf([12, 3])).toEqual({ a: 3, b: 12 });
    expect(pairOf([12])).toBeNull();
    expect(compareRoute(3, 12)).toBe('/history?a=3&b=12');
    expect(compareRoute(3, null)).toBe('/history?a=3');
  });

  test('in the list of rounds; those that cannot be compared with the first cannot be ticked', async () => {
    const made = world();
    const lines = made.http.body<RoundLine[]>('GET round');
    const like = (id: number): boolean => id <= 6;
    made.http.on('GET round', ({ query }) =>
      query['comparable'] ? lines.filter(({ id }) => like(id)) : lines,
    );
    const fixture = open('/rounds', made);
    await until(fixture, (text) => text.includes('Tick two rounds to compare them.'));
    tick(fixture, 6);
    await until(fixture, (text) => text.includes('Tick one more, to compare with round 6.'));
    const box = (round: number): HTMLInputElement => boxOf(fixture, round)!;
    await until(fixture, () => box(7).disabled);
    expect(lines.filter(({ id }) => box(id).title).every(({ id }) => !like(id))).toBe(true);
    tick(fixture, 1);
    await until(fixture, (text) => text.includes('Compare rounds 1 and 6'));
    const links = [...(fixture.nativeElement as HTMLElement).querySelectorAll('a')];
    links.find((one) => one.textContent === 'Compare rounds 1 and 6')!.click();
    await until(fixture, (text) => text.includes('Round 6 against round 1'));
    expect(made.host.route()).toBe('/history?a=1&b=6');
  });

  test.each([
    [8, false, true],
    [7, false, false],
    [2, false, false],
    [2, true, true], // older than all that were asked for
    [7, true, false],
  ])('round %p of those comparable, with more of them %p: %p', (round, more, may) =>
    expect(mayBeTicked(round, new Set([8, 5]), more)).toBe(may),
  );

  test('from a round’s page, the other one: of those that are comparable', async () => {
    const made = world();
    const fixture = open('/history?a=6', made);
    await until(fixture, (text) => text.includes('Choose a round to compare with round 6'));
    expect(made.http.asked.some((path) => path.includes('comparable=6'))).toBe(true);
    tick(fixture, 1);
    await until(fixture, (text) => text.includes('Compare rounds 1 and 6'));
  });
});

describe('what became of them', () => {
  test('nothing of the page before is left beside a refusal', async () => {
    const made = world();
    const fixture = open('/history?a=1&b=6', made);
    await until(fixture, (text) => text.includes('osd.11'));
    made.http.refuses = ({ query }) =>
      query['b'] === 99 ? new Refusal('not-found', 'there is no round 99') : null;
    made.host.route.set('/history?a=1&b=99');
    const text = await until(fixture, (shown) => shown.includes('there is no round 99'));
    expect(text).not.toContain('Not current');
  });

  test('OSDs come page by page; rounds that are swapped are shown from the first OSD on', async () => {
    const made = world();
    const found = made.http.body<Comparison>(COMPARED);
    const [row] = found.per_osd;
    made.http.on('GET round/compare', (question) => ({
      ...found,
      ...{ a: question.query['a'], b: question.query['b'], osds: 80 },
      per_osd: pages(row!, 80, 'osd')(question),
    }));
    const fixture = open('/history?a=1&b=6', made);
    const foot = (): string =>
      (fixture.nativeElement as HTMLElement).querySelector('.pb-table__pages span')?.textContent ??
      '';
    await until(fixture, () => foot() === '1–25 of 80');
    button(fixture, 'Next page').click();
    await until(fixture, (text) => foot() === '26–50 of 80' && text.includes('osd.1025'));
    made.host.route.set('/history?a=6&b=1');
    await until(fixture, (text) => text.includes('Round 1 against round 6'));
    expect(foot()).toBe('1–25 of 80');
    expect(made.http.asked.filter((one) => one.includes('a=6')).at(-1)).toContain('offset=0&');
  });
});

test.each([
  [-10.06, '−10.1 %'],
  [3, '+3.0 %'],
  [-0.04, '±0.0 %'],
  [null, '–'],
])('a change of %p is %p', (value, text) => expect(change(value)).toBe(text));

test.each([
  [0.00002, '< 0.0001'],
  [0.0004, '0.0004'],
  [0.1234, '0.12'],
  [1, '1'],
  [null, '–'],
])('p of %p is %p', (value, text) => expect(chance(value)).toBe(text));

describe('the chart', () => {
  const rows = (['worse', 'better', 'same', 'inconclusive'] as const).map((verdict, index) => ({
    name: `osd.${index}`,
    verdict,
    change_percent: index - 2,
    interval_percent: [index - 3, index - 1] as [number, number],
  }));
  interface Shape {
    readonly type: string;
    readonly style: { readonly fill?: string };
    readonly shape: { readonly points?: readonly (readonly number[])[] };
  }
  const marks = rows.map((_, dataIndex) => {
    const option = intervalsOption(rows, 3, palette(false)) as {
      series: readonly [
        unknown,
        { renderItem: (...given: unknown[]) => { children: readonly Shape[] } },
      ];
    };
    const draw = { value: (dimension: number) => dimension, coord: ([x, y]: number[]) => [x, y] };
    return option.series[1].renderItem({ dataIndex }, draw).children.at(-1)!;
  });

  test('verdicts differ in shape, and not in colour alone', () => {
    expect(marks.map(({ type }) => type)).toEqual(['polygon', 'polygon', 'circle', 'circle']);
    const tip = (index: number): number => {
      const [left, , point] = marks[index]!.shape.points!;
      return Math.sign(point![1]! - left![1]!);
    };
    expect([tip(0), tip(1)]).toEqual([1, -1]); // down and up
    expect(marks[2]!.style.fill).not.toBe(marks[3]!.style.fill); // full and hollow
  });
});
