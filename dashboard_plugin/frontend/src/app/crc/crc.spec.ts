import { ComponentFixture, TestBed } from '@angular/core/testing';
import { Crc } from '../../generated/types';
import { World, world } from '../../testing/fake-http';
import { button, until } from '../../testing/settle';
import { CrcComponent } from './crc.component';

function open(made: World = world()): ComponentFixture<CrcComponent> {
  TestBed.configureTestingModule({ providers: made.providers });
  return TestBed.createComponent(CrcComponent);
}

test('shares against peers, rates, links, media and hosts', async () => {
  const fixture = open();
  const text = await until(fixture, (shown) => shown.includes('CRC errors'));
  expect(text).toContain('so this is a lower bound');
  const element = fixture.nativeElement as HTMLElement;
  const [hot] = element.querySelectorAll('tbody tr');
  expect(hot?.textContent.replaceAll(/\s+/g, ' ')).toMatch(
    /osd\.3 host-0 43\.0 % 3\.0 % 43\.0 % ▲.* \d\.\d\d 5/,
  );
  expect(text).toContain('Read retries');
  expect(text).toContain('18.63');
});

test('all OSDs are searched, sorted and paged, by the back end', async () => {
  const made = world({ osds: 300 });
  const fixture = open(made);
  await until(fixture, (text) => text.includes('1–10 of 300'));
  const element = fixture.nativeElement as HTMLElement;
  const first = (): string | undefined => element.querySelector('tbody td')?.textContent.trim();
  [...element.querySelectorAll<HTMLElement>('.pb-table__sort')]
    .find((one) => one.textContent.trim().startsWith('OSD'))!
    .click();
  await until(fixture, () => first() === 'osd.0');
  button(fixture, 'Next page').click();
  await until(fixture, () => first() === 'osd.10');
  const search = element.querySelector<HTMLInputElement>('input[type=search]')!;
  search.value = 'OSD.297';
  search.dispatchEvent(new Event('input'));
  await until(fixture, () => first() === 'osd.297');
  expect(made.http.asked.at(-1)).toBe('GET crc?offset=0&limit=10&sort=%2Bosd&search=OSD.297');
});

test('errors that are left out are counted', async () => {
  const made = world();
  const { answers } = made.http;
  const crc = answers.crc.bind(answers);
  answers.crc = (query) => {
    const { body, ...rest } = crc(query);
    return { ...rest, body: { ...(body as Crc), links_left_out: 11 } };
  };
  await until(open(made), (text) => text.includes('Not shown: 11 more'));
});

test('nothing known is a sentence for each', async () => {
  const text = await until(open(world({ osds: 0 })), (shown) =>
    shown.includes('There are no figures about checksums'),
  );
  expect(text).toContain('No link errors in what was looked at');
  expect(text).toContain('No media errors in what was looked at');
});
