import { Bay } from '../../generated/types';
import { Look, badness, lookOf, signOf, stateText, worstOf } from '../shared/state-badge.component';
import { isTaken, tenantsText } from '../shared/tenants.component';

/** Slots in a row, as shelves of so many slots are built; 60 and 106 stand in rows of twelve. */
const ROWS: Readonly<Record<number, number>> = { 8: 8, 12: 4, 16: 4, 24: 12, 36: 4 };

export function columnsOf(slots: number): number {
  return ROWS[slots] ?? Math.max(1, Math.min(slots, 12));
}

/** A slot as it is drawn; `about` says all of it in words. */
export interface Drawn {
  readonly bay: Bay;
  readonly name: string;
  readonly sign: string;
  readonly word: string;
  readonly look: Look;
  readonly about: string;
}

/** What is to be said of a slot: how its OSD is, and how the slot itself is. */
function wordsOf(bay: Bay): readonly string[] {
  return [bay.osd_state, bay.status, bay.fault ? 'fault' : null].filter((word) => word !== null);
}

export function draw(bay: Bay): Drawn {
  const worst = worstOf(wordsOf(bay)) ?? '';
  const empty = !isTaken(bay) && bay.device === null;
  const name = tenantsText(bay) || (bay.device ?? 'empty');
  return {
    bay,
    name,
    sign: signOf(worst),
    word: stateText(worst),
    look: empty && lookOf(worst) === 'good' ? 'none' : lookOf(worst),
    about: aboutOf(bay, name),
  };
}

/** "slot 7: osd.12 down; slot critical, faulty; device sdk; host-0". */
function aboutOf(bay: Bay, name: string): string {
  const own = [bay.status === null ? '' : stateText(bay.status), bay.fault ? 'fault' : ''];
  const slot = own.filter(Boolean).join(', ');
  const parts = [
    bay.osd_state === null ? name : `${name} ${stateText(bay.osd_state)}`,
    slot && `slot ${slot}`,
    bay.device && bay.device !== name ? `device ${bay.device}` : '',
    bay.host ?? '',
  ];
  const said = parts.filter(Boolean).join('; ');
  return bay.slot === null ? said : `slot ${bay.slot}: ${said}`;
}

/** "2 × down, 56 × ok": how many slots are how, the worst first. */
export function tally(drawn: readonly Drawn[]): string {
  const counts = new Map<string, number>();
  const ranked = [...drawn].sort((a, b) => badness(b.look) - badness(a.look));
  for (const { bay, word, name } of ranked) {
    const said = !isTaken(bay) && bay.device === null ? name : word;
    counts.set(said, (counts.get(said) ?? 0) + 1);
  }
  return [...counts].map(([word, count]) => `${count} × ${word}`).join(', ');
}
