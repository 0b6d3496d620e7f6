import { ComponentFixture } from '@angular/core/testing';
import { Enclosure } from '../../generated/types';
import { World, world } from '../../testing/recorded';
import { show, until } from '../../testing/settle';
import { Refusal } from '../core/refusal';
import { listOf, valueOf, withList, withValue } from './osd-choice';
import { OsdPickerComponent } from './osd-picker.component';

test.each([
  ['', 'class', 'hdd', 'class=hdd'],
  ['0,3', 'host', 'a', '0,3&host=a'],
  ['class=hdd & rack=r1', 'class', 'ssd', 'rack=r1&class=ssd'],
  ['class=hdd&host=a', 'class', '', 'host=a'],
])('%p with %s of %p is %p', (before, key, value, after) => {
  expect(withValue(before, key, value)).toBe(after);
  expect(valueOf(after, key)).toBe(value);
});

test.each([
  ['', [3, 0, 1, 1], '0-1,3'],
  ['7&class=hdd', [5], '5&class=hdd'],
  ['0-2&host=a', [], 'host=a'],
])('%p with the OSDs %p is %p', (before, osds, after) => {
  expect(withList(before, osds)).toBe(after);
  expect(listOf(after)).toEqual([...new Set(osds)].sort());
});

test('what is no list of OSDs names none', () => {
  expect(listOf('some&class=hdd')).toEqual([]);
  expect(listOf('3-1')).toEqual([]);
});

function opened(
  value: string,
  made: World = world(),
): { fixture: ComponentFixture<OsdPickerComponent>; said: string[] } {
  const fixture = show(OsdPickerComponent, made, { value });
  const said: string[] = [];
  fixture.componentInstance.value.subscribe((text) => said.push(text));
  return { fixture, said };
}

function choose(fixture: ComponentFixture<OsdPickerComponent>, at: number, value: string): void {
  const select = (fixture.nativeElement as HTMLElement).querySelectorAll('select')[at]!;
  select.value = value;
  select.dispatchEvent(new Event('change'));
}

test('a class, a host, an enclosure and single OSDs become an expression', async () => {
  const { fixture, said } = opened('class=hdd');
  await until(fixture, (text) => text.includes('host-1'));
  const element = fixture.nativeElement as HTMLElement;
  expect(element.querySelector('select')?.value).toBe('hdd');
  choose(fixture, 1, 'host-1');
  expect(said).toEqual(['class=hdd&host=host-1']);
  fixture.componentRef.setInput('value', said[0]!);
  await until(fixture, () => element.querySelectorAll('input[type=checkbox]').length > 0);
  const box = element.querySelector<HTMLInputElement>('input[type=checkbox]')!;
  const name = box.parentElement!.textContent.trim().slice('osd.'.length);
  box.click();
  expect(said.at(-1)).toBe(`${name}&class=hdd&host=host-1`);
  const shelf = element.querySelectorAll('select')[2]!;
  choose(fixture, 2, [...shelf.options].find((one) => one.value && !one.disabled)!.value);
  await until(fixture, () => said.length === 3);
  expect(said.at(-1)).toMatch(/^\d+(-\d+)?(,\d+(-\d+)?)*&class=hdd&host=host-1$/);
});

test('two choices before the form is drawn again both count', async () => {
  const { fixture, said } = opened('5&host=host-1');
  const element = fixture.nativeElement as HTMLElement;
  const boxes = () => element.querySelectorAll<HTMLInputElement>('input[type=checkbox]');
  await until(fixture, () => [...boxes()].some((box) => box.checked));
  [...boxes()].find((box) => box.checked)!.click();
  choose(fixture, 1, '');
  expect(said).toEqual(['host=host-1', '']);
});

describe('an enclosure is chosen', () => {
  function shelves(fixture: ComponentFixture<OsdPickerComponent>): readonly string[] {
    const select = (fixture.nativeElement as HTMLElement).querySelectorAll('select')[2];
    return [...(select?.options ?? [])]
      .filter((one) => one.value && !one.disabled)
      .map((one) => one.value);
  }

  test('of two answers in the wrong order the one of the newer choice counts', async () => {
    const made = world();
    const [one] = made.http.body<Enclosure[]>('GET enclosure');
    const slot = one!.slots[0]!;
    const shelf = (id: string, osds: number[]): Enclosure => ({
      ...one!,
      ...{ id, osds: 1, slots: [{ ...slot, osds }] },
    });
    const both = [shelf('a', [1]), shelf('b', [2])];
    made.http.on('GET enclosure', () => both);
    both.forEach((shelf) => made.http.on(`GET enclosure/${shelf.id}`, () => shelf));
    const { fixture, said } = opened('', made);
    await until(fixture, () => shelves(fixture).length > 1);
    made.http.holds = ({ name }) => name.startsWith('GET enclosure/');
    choose(fixture, 2, 'a');
    choose(fixture, 2, 'b');
    await until(fixture, () => made.http.letGo.length === 2);
    made.http.letGo[1]!();
    await until(fixture, () => said.length > 0);
    made.http.letGo[0]!();
    await until(fixture, () => true);
    expect(said.map(listOf)).toEqual([[2]]);
  });

  test('a refusal is told, and nothing is chosen', async () => {
    const made = world();
    const { fixture, said } = opened('', made);
    await until(fixture, () => shelves(fixture).length > 0);
    made.http.refuses = () => new Refusal('broken', 'this one broke');
    choose(fixture, 2, shelves(fixture)[0]!);
    await until(fixture, (text) => text.includes('this one broke'));
    expect(said).toEqual([]);
  });
});
