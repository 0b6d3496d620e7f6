import { TestBed } from '@angular/core/testing';
import { RoundLine } from '../../generated/types';
import { world } from '../../testing/fake-http';
import { RoundsTableComponent } from './rounds-table.component';

const LINE: RoundLine = {
  id: 3,
  profile: 'osd-iops',
  kind: 'osd',
  state: 'done',
  verdict: 'valid',
  label: '',
  created_at: null,
  started_at: null,
  ended_at: null,
  took_seconds: null,
  summary: {},
  unreadable: null,
  block_size: 4096,
};

async function cells(row: RoundLine): Promise<string> {
  TestBed.configureTestingModule({ providers: world().providers });
  const fixture = TestBed.createComponent(RoundsTableComponent);
  fixture.componentRef.setInput('rows', [row]);
  await fixture.whenStable();
  return (fixture.nativeElement as HTMLElement).querySelector('tbody')!.textContent;
}

test('a round that cannot be read says so, with the reason', async () => {
  const text = await cells({ ...LINE, unreadable: 'summary is no JSON' });
  expect(text).toContain('unreadable');
  expect(text).toContain('summary is no JSON');
  expect(text).not.toContain('valid');
});

test('any other has its verdict', async () => {
  const text = await cells(LINE);
  expect(text).toContain('valid');
  expect(text).not.toContain('unreadable');
});
