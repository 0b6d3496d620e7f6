import { ActiveRound, Status } from '../../generated/types';
import { READER, World, world } from '../../testing/recorded';
import { button, show, shownText, until } from '../../testing/settle';
import { Refusal } from '../core/refusal';
import { AbortComponent } from './abort.component';
import { ActiveRoundComponent } from './active-round.component';

/** A running round that stands so. */
function runs(changes: Partial<ActiveRound>): World {
  const made = world({ scenes: ['running'] });
  change(made, changes);
  return made;
}

function change(made: World, changes: Partial<ActiveRound>): void {
  made.http.change<Status>('GET status', (status) => ({
    ...status,
    active_round: { ...status.active_round, ...changes },
  }));
}

test('no round, no card', async () => {
  const fixture = show(ActiveRoundComponent);
  await fixture.whenStable();
  expect((fixture.nativeElement as HTMLElement).querySelector('section')).toBeNull();
});

test('progress shows and is spoken in steps; the frame has the abort', async () => {
  const made = runs({ progress: 0.57, samples: 41, samples_planned: 72, eta_seconds: 12.3 });
  const fixture = show(ActiveRoundComponent, made);
  const text = await until(fixture, (shown) => shown.includes('Round 12 is running'));
  expect(text).toMatch(/57 % osd-throughput, write: 41 of 72 samples, about 13 s left/);
  expect(text).toContain('Round 12: 50 % done');
  expect(text).not.toContain('Abort');
});

test('the OSDs that a round waits for are named', async () => {
  const made = runs({ waits_for: [4, 2, 7, 1] });
  await until(show(ActiveRoundComponent, made), (shown) =>
    shown.includes('left; waits for osd.4, osd.2, osd.7 and 1 more'),
  );
});

describe('an abort', () => {
  test('asks before it acts; then there is one state, and no button that would do it again', async () => {
    const made = runs({});
    const fixture = show(AbortComponent, made, { round: 12 });
    await until(fixture, (shown) => shown.includes('Abort…'));
    button(fixture, 'Abort…').click();
    await until(fixture, (shown) => shown.includes('Abort round 12?'));
    expect(made.http.asked.filter((one) => one.includes('abort'))).toEqual([]);
    button(fixture, 'Abort the round').click();
    const text = await until(fixture, (shown) => shown.includes('Stopping…'));
    expect(text).not.toContain('Abort…');
    expect(made.http.asked).toContain('POST round/12/abort');
  });

  test('that comes too late says so in the dialog', async () => {
    const made = runs({});
    const fixture = show(AbortComponent, made, { round: 12 });
    await until(fixture, (shown) => shown.includes('Abort…'));
    button(fixture, 'Abort…').click();
    await fixture.whenStable();
    made.http.refuses = () => new Refusal('busy', 'round 12 is not running');
    button(fixture, 'Abort the round').click();
    await until(fixture, (shown) => shown.includes('round 12 is not running'));
  });

  test('is not offered to who may only read', async () => {
    const made = world({ scenes: ['running'], permissions: READER });
    const fixture = show(AbortComponent, made, { round: 12 });
    await fixture.whenStable();
    expect(shownText(fixture)).not.toContain('Abort');
  });
});
