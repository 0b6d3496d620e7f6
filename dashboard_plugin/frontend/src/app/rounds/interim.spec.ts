import { Live, Quiesce, Round } from '../../generated/types';
import { READER, World, world } from '../../testing/recorded';
import { button, show, until } from '../../testing/settle';
import { InterimComponent } from './interim.component';
import { QuiesceComponent } from './quiesce.component';

test('a round of small writes is told in its own unit', async () => {
  const made = world({ scenes: ['running'] });
  const round = made.http.body<Round>('GET round/12');
  const rates = { low: 2 ** 21, median: 2 ** 21, high: 2 ** 21 };
  made.http.change<Live>('GET round/12/live', (live) => ({
    ...live,
    osds: {
      ...live.osds,
      classes: live.osds.classes.map((one) => ({
        ...one,
        bytes_per_second: rates,
        iops: { low: 512, median: 512, high: 512 },
      })),
      slowest: [],
    },
  }));
  const fixture = show(InterimComponent, made, { round });
  const text = await until(fixture, (shown) => shown.includes('512 IOPS'));
  expect(text).not.toMatch(/\d MiB\/s/);
});

describe('what a round has left changed', () => {
  const LEFT: Partial<Quiesce> = {
    state: 'restore-pending',
    round: 3,
    why: 'the monitors did not answer',
    changed: [{ what: 'flag/noscrub', was: 'unset', want: 'set', now: 'set', unread: null }],
    commands: ['ceph osd unset noscrub'],
  };
  function left(made: World, changes: Partial<Quiesce> = {}): World {
    made.http.change<Quiesce>('GET quiesce', { ...LEFT, ...changes });
    return made;
  }

  test('is shown with the commands, and put back after a question', async () => {
    const made = left(world());
    const fixture = show(QuiesceComponent, made);
    const text = await until(fixture, (shown) => shown.includes('Not all settings are put back'));
    expect(text).toContain('the monitors did not answer');
    expect(text).toContain('ceph osd unset noscrub');
    button(fixture, 'Put back now').click();
    await until(fixture, (shown) => shown.includes('Put the settings back?'));
    expect(made.http.sent).toEqual([]);
    const element = fixture.nativeElement as HTMLElement;
    element.querySelector<HTMLButtonElement>('.pb-actions .pb-button--main')!.click();
    await until(fixture, () => made.http.asked.includes('POST quiesce/restore'));
  });

  test('is shown to a reader without a button', async () => {
    const fixture = show(QuiesceComponent, left(world({ permissions: READER })));
    const text = await until(fixture, (shown) => shown.includes('Not all settings are put back'));
    expect(text).not.toContain('Put back now');
  });

  test('is not known where a setting cannot be read', async () => {
    const unread = 'the monitors do not answer';
    const changed = [{ what: 'flag/noscrub', was: 'unset', want: 'set', now: null, unread }];
    await until(show(QuiesceComponent, left(world(), { changed })), (shown) =>
      shown.includes('not known now (the monitors do not answer), was unset'),
    );
  });

  test('is nothing while nothing is', async () => {
    const made = world();
    const fixture = show(QuiesceComponent, made);
    await until(fixture, () => made.http.asked.includes('GET quiesce'));
    await fixture.whenStable();
    expect((fixture.nativeElement as HTMLElement).querySelector('section')).toBeNull();
  });
});
