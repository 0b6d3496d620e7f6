import { ComponentFixture, TestBed } from '@angular/core/testing';
import { palette } from '../charts/palette';
import { chance, change } from '../core/format';
import { World, world } from '../../testing/fake-http';
import { button, until } from '../../testing/settle';
import { FrameComponent } from '../frame/frame.component';
import { compareRoute, mayBeTicked, pairOf, toggled } from '../rounds/choice';
import { intervalsOption } from './intervals-chart';

function open(route: string, made: World = world()): ComponentFixture<FrameComponent> {
  made.host.route.set(route);
  TestBed.configureTestingModule({ providers: made.providers });
  return TestBed.createComponent(FrameComponent);
}

function tick(fixture: ComponentFixture<FrameComponent>, round: number): void {
  const element = fixture.nativeElement as HTMLElement;
  element
    .querySelector<HTMLInputElement>(`input[aria-label="Choose round ${round} to compare"]`)!
    .click();
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
    expect(compareRoute(3, 12)).toBe('/compare?a=3&b=12');
    expect(compareRoute(3, null)).toBe('/compare?a=3');
  });

  test('in the list of rounds', async () => {
    const made = world();
    const fixture = open('/rounds', made);
    await until(fixture, (text) => text.includes('Tick two rounds to compare them.'));
    tick(fixture, 11);
    await until(fixture, (text) => text.includes('Tick one more, to compare with round 11.'));
    tick(fixture, 3);
    await until(fixture, (text) => text.includes('Compare rounds 3 and 11'));
    const links = [...(fixture.nativeElement as HTMLElement).querySelectorAll('a')];
    links.find((one) => one.textContent === 'Compare rounds 3 and 11')!.click();
    await until(fixture, (text) => text.includes('Round 11 against round 3'));
    expect(made.host.route()).toBe('/compare?a=3&b=11');
  });

  test('those that cannot be compared with the first cannot be ticked', async () => {
    const fixture = open('/rounds');
    await until(fixture, (text) => text.includes('Tick two rounds to compare them.'));
    const box = (round: number): HTMLInputElement | null =>
      (fixture.nativeElement as HTMLElement).querySelector<HTMLInputElement>(
        `input[aria-label="Choose round ${round} to compare"]`,
      );
    const shown = Array.from({ length: 12 }, (_, at) => at).filter((id) => box(id));
    const barred = (): readonly number[] => shown.filter((id) => box(id)?.title);
    expect(barred()).toEqual([]);
    tick(fixture, 11);
    await until(fixture, () => barred().length > 0);
    expect(barred()).not.toContain(11);
    expect(barred()).not.toContain(3);
    expect(barred().every((id) => box(id)?.disabled)).toBe(true);
    tick(fixture, 11);
    await until(fixture, () => barred().length === 0);
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

  test('from a round’s page, the other one', async () => {
    const fixture = open('/compare?a=11');
    await until(fixture, (text) => text.includes('Choose a round to compare with round 11'));
    tick(fixture, 3);
    await until(fixture, (text) => text.includes('Compare rounds 3 and 11'));
  });
});

describe('what became of them', () => {
  test.each([
    ['a=3&b=11', '▼ worse'],
    ['a=11&b=3', '▲ better'],
    ['a=2&b=3', '● the same'],
    ['a=3&b=5', '○ inconclusive'],
    ['a=3&b=5', 'The samples do not decide it.'],
    ['a=3&b=11', 'OSD release: 19.2.3 → 20.2.4 (setup)'],
    ['a=2&b=3', 'No difference is known'],
    ['a=3&b=4', 'round 3 ran osd-throughput, round 4 osd-iops'],
    ['a=3&b=3', 'Round 3 cannot be compared with itself'],
    ['a=3&b=last', '“last” is not the number of a round.'],
    ['a=3&b=777', 'there is no round 777'],
    ['', 'Choose two rounds'],
  ])('%s: %s', async (query, words) => {
    await until(open(`/compare?${query}`), (text) => text.includes(words));
  });

  test('OSDs are counted, and what clients felt is told', async () => {
    const text = await until(open('/compare?a=3&b=11'), (shown) => shown.includes('▼ worse'));
    expect(text).toMatch(/24: \d+ better, \d+ worse, \d+ the same, \d+ not decided/);
    expect(text).toContain(
      'round 3: 6.00 ms (4.00 ms before); round 11: 6.67 ms (4.00 ms before); +11.1 %',
    );
  });

  test('only comparable rounds are offered', async () => {
    const made = world();
    await until(open('/compare?a=3', made), (shown) => shown.includes('Choose a round'));
    expect(made.http.asked.some((path) => path.includes('comparable=3'))).toBe(true);
  });

  test('rounds of the list before are not offered until the comparable ones are there', async () => {
    const made = world();
    const fixture = open('/rounds', made);
    const offers = (): readonly string[] =>
      [...(fixture.nativeElement as HTMLElement).querySelectorAll('tbody a[href*="/rounds/"]')].map(
        ({ textContent }) => textContent,
      );
    await until(fixture, () => offers().includes('4'));
    made.http.answers.mode = 'broken';
    made.host.route.set('/compare?a=3');
    await until(fixture, (text) => text.includes('perf_bench met an error of its own'));
    expect(offers()).toEqual([]);
    made.http.answers.mode = '';
    button(fixture, 'Try again').click();
    await until(fixture, () => offers().includes('11'));
    expect(offers()).not.toContain('4');
  });

  test('a difference of the setup is not told twice', async () => {
    const text = await until(open('/compare?a=3&b=11'), (shown) => shown.includes('▼ worse'));
    expect(text).not.toContain('release: 19.2.3 -> 20.2.4');
  });

  test.each(['/compare?a=3&b=777', '/rounds/777'])(
    'nothing of the page before is left beside the refusal of %s',
    async (route) => {
      const made = world();
      const fixture = open(route.replace('777', '11'), made);
      await until(fixture, (text) => text.includes('osd.22'));
      made.host.route.set(route);
      const text = await until(fixture, (shown) => shown.includes('there is no round 777'));
      expect(text).not.toContain('Not current');
    },
  );

  test('OSDs come page by page, worst first', async () => {
    const made = world({ osds: 60 });
    const fixture = open('/compare?a=3&b=11', made);
    await until(fixture, (text) => text.includes('1–25 of 60'));
    button(fixture, 'Next page').click();
    await until(fixture, (text) => text.includes('26–50 of 60'));
    await until(fixture, () =>
      made.http.asked.includes('GET round/compare?offset=25&limit=25&a=3&b=11'),
    );
  });
});

test('rounds that are swapped are shown from the first OSD on, as the foot says', async () => {
  const made = world({ osds: 80 });
  const fixture = open('/compare?a=3&b=11', made);
  const foot = (): string =>
    (fixture.nativeElement as HTMLElement).querySelector('.pb-table__pages span')?.textContent ??
    '';
  await until(fixture, () => foot().startsWith('1–25'));
  button(fixture, 'Next page').click();
  await until(fixture, () => foot().startsWith('26–50'));
  made.host.route.set('/compare?a=11&b=3');
  await until(fixture, (text) => text.includes('Round 3 against round 11'));
  expect(foot()).toBe('1–25 of 80');
  expect(made.http.asked.filter((one) => one.includes('a=11')).at(-1)).toContain('offset=0&');
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
