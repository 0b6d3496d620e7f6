import { ComponentFixture } from '@angular/core/testing';
import { Finding, FindingDetail } from '../../generated/types';
import { World, pages, world } from '../../testing/recorded';
import { button, show, shownText, until } from '../../testing/settle';
import { Refusal } from '../core/refusal';
import { FindingComponent } from './finding.component';
import { FindingsComponent } from './findings.component';

const NO = new Refusal('forbidden', 'your roles lack the permission create of the scope osd');

async function opened(made: World): Promise<ComponentFixture<FindingComponent>> {
  const fixture = show(FindingComponent, made, { id: '4' });
  await until(fixture, (text) => text.includes('Evidence'));
  return fixture;
}

describe('muting', () => {
  test('one is muted for as long as is chosen', async () => {
    const made = world();
    const fixture = await opened(made);
    button(fixture, 'Mute…').click();
    await until(fixture, (text) => text.includes('Mute finding 4?'));
    const choice = (fixture.nativeElement as HTMLElement).querySelector('select')!;
    choice.value = '8h';
    choice.dispatchEvent(new Event('change'));
    const muted: Partial<FindingDetail> = { state: 'muted', muted_until: '2023-12-01T00:00:00Z' };
    made.http.change<FindingDetail>('GET finding/4', muted);
    button(fixture, 'Mute it').click();
    await until(fixture, (shown) => shown.includes('Mute ends'));
    expect(made.http.sent).toEqual([['POST finding/4/mute', { for: '8h' }]]);
  });

  test('a dialog cannot be closed before it is known whether it was refused', async () => {
    const made = world();
    const fixture = await opened(made);
    button(fixture, 'Mute…').click();
    await fixture.whenStable();
    made.http.refuses = ({ name }) => (name.endsWith('/mute') ? NO : null);
    made.http.holds = ({ name }) => name.endsWith('/mute');
    button(fixture, 'Mute it').click();
    await until(fixture, () => made.http.letGo.length > 0);
    button(fixture, 'Close').click();
    button(fixture, 'Cancel').click();
    const dialog = (fixture.nativeElement as HTMLElement).querySelector('dialog')!;
    const escape = new Event('cancel', { cancelable: true });
    dialog.dispatchEvent(escape);
    expect(escape.defaultPrevented).toBe(true);
    dialog.close(); // as a browser does at a second Escape
    await fixture.whenStable();
    expect(dialog.open).toBe(true);
    for (const go of made.http.letGo) go();
    await until(fixture, (text) => text.includes('your roles lack the permission create'));
    button(fixture, 'Cancel').click();
    await until(fixture, (text) => !text.includes('Mute finding'));
  });
});

test('a finding says first what it is, who is at fault, and the first command', async () => {
  const fixture = await opened(world());
  const element = fixture.nativeElement as HTMLElement;
  const text = shownText(fixture);
  expect(element.querySelector('h2')!.textContent).toMatch(/^osd\.4 .* times as slow/);
  expect(text.indexOf('before it began')).toBeGreaterThan(0);
  expect(text.indexOf('before it began')).toBeLessThan(text.indexOf('What to do first'));
  expect(element.querySelector('pb-command')?.textContent).toContain('ceph');
  const evidence = [...element.querySelectorAll('details')].at(-1)!;
  expect([evidence.querySelector('summary')?.textContent.trim(), evidence.open]).toEqual([
    'Evidence',
    false,
  ]);
});

describe('a note on a finding', () => {
  const noted = (text: string): Partial<FindingDetail> => ({
    acknowledged: { text, at: '2023-11-15T00:00:00Z', by: 'admin' },
  });
  const field = (fixture: ComponentFixture<FindingComponent>): HTMLInputElement =>
    (fixture.nativeElement as HTMLElement).querySelector<HTMLInputElement>('pb-ack-dialog input')!;
  async function types(fixture: ComponentFixture<FindingComponent>, words: string): Promise<void> {
    field(fixture).value = words;
    field(fixture).dispatchEvent(new Event('input'));
    await fixture.whenStable();
  }

  test('is kept, without blanks and if it is not too long, and removed', async () => {
    const made = world();
    const fixture = await opened(made);
    button(fixture, 'Acknowledge…').click();
    await until(fixture, (text) => text.includes('Acknowledge finding 4?'));
    expect(button(fixture, 'Acknowledge').disabled).toBe(true);
    await types(fixture, 'x'.repeat(501));
    await until(fixture, (text) => text.includes('The note has 501 characters'));
    expect(button(fixture, 'Acknowledge').disabled).toBe(true);
    await types(fixture, ' disk ordered ');
    made.http.change('GET finding/4', noted('disk ordered'));
    button(fixture, 'Acknowledge').click();
    await until(fixture, (text) => /Acknowledged\s*disk ordered.*by admin/.test(text));
    made.http.refuses = ({ name }) => (name.endsWith('/ack') ? NO : null);
    button(fixture, 'Remove note').click();
    await until(fixture, (text) => text.includes('your roles lack the permission create'));
    made.http.refuses = () => null;
    made.http.change<FindingDetail>('GET finding/4', { acknowledged: null });
    button(fixture, 'Remove note').click();
    await until(fixture, (text) => !text.includes('disk ordered'));
    expect(made.http.sent[0]).toEqual(['POST finding/4/ack', { text: 'disk ordered' }]);
    expect(made.http.sent.at(-1)).toEqual(['POST finding/4/ack', { remove: true }]);
  });

  test("that is typed stays when somebody else's comes meanwhile", async () => {
    const made = world();
    const fixture = await opened(made);
    button(fixture, 'Acknowledge…').click();
    await until(fixture, (text) => text.includes('Acknowledge finding 4?'));
    const comes = async (text: string): Promise<void> => {
      made.http.change('GET finding/4', noted(text));
      document.dispatchEvent(new Event('visibilitychange')); // asks as a poll does
      await until(fixture, (shown) => shown.includes(text));
    };
    await comes('theirs');
    expect(field(fixture).value).toBe('theirs'); // nothing was typed
    await types(fixture, 'disk ordered');
    await comes('theirs again');
    expect(field(fixture).value).toBe('disk ordered');
  });
});

test('one that is over is neither muted nor noted', async () => {
  const made = world();
  const over: Partial<FindingDetail> = { state: 'closed', closed_at: '2023-11-15T00:00:00Z' };
  made.http.change('GET finding/4', over);
  const fixture = await opened(made);
  expect(shownText(fixture)).toContain('Closed');
  expect(() => button(fixture, 'Mute…')).toThrow('no button');
  expect(() => button(fixture, 'Acknowledge…')).toThrow('no button');
});

test('on the page of another finding nothing is left of the refusal before', async () => {
  const made = world();
  const acknowledged = { text: 'note', at: '2023-11-15T00:00:00Z', by: 'admin' };
  made.http.change<FindingDetail>('GET finding/4', { acknowledged });
  const other = { ...made.http.body<FindingDetail>('GET finding/4'), id: 2 };
  made.http.on('GET finding/2', () => other);
  made.http.on('GET finding/2/incident', () => ({
    ...made.http.body<object>('GET finding/4/incident'),
    finding: 2,
  }));
  const fixture = await opened(made);
  made.http.refuses = ({ name }) => (name.endsWith('/ack') ? NO : null);
  button(fixture, 'Remove note').click();
  await until(fixture, (text) => text.includes('your roles lack'));
  fixture.componentRef.setInput('id', '2');
  const text = await until(fixture, (shown) => shown.includes('Finding 2'));
  expect(text).not.toMatch(/your roles lack|Try again/);
});

test('the list has those that are over, too, page by page', async () => {
  const made = world();
  const [first] = made.http.body<Finding[]>('GET finding');
  made.http.on('GET finding', pages(first!, 60, 'id'), 60);
  const fixture = show(FindingsComponent, made);
  await until(fixture, (text) => text.includes('1–25 of 60'));
  button(fixture, 'Next page').click();
  const foot = '.pb-table__pages span';
  const element = fixture.nativeElement as HTMLElement;
  await until(fixture, (text) => text.includes('1025'));
  expect(element.querySelector(foot)?.textContent).toBe('26–50 of 60');
  expect(made.http.asked.at(-1)).toContain('everything=true');
});
