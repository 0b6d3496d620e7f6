import { NOTHING } from '../core/format';
import { Column, plain } from '../shared/data-table/column';
import { tenantsText } from '../shared/tenants.component';
import { Component, computed, input } from '@angular/core';
import { Bay, Enclosure, Element as Part } from '../../generated/types';
import { liveGet } from '../core/api';
import { badness, lookOf } from '../shared/state-badge.component';
import { SlotsComponent } from './slots.component';
import { PIECES } from '../shared/pieces';

const POLL_MS = 15_000;

/** One enclosure: what speaks against it, its slots, and its other parts. */
@Component({
  selector: 'pb-enclosure',
  imports: [PIECES, SlotsComponent],
  templateUrl: './enclosure.component.html',
})
export class EnclosureComponent {
  readonly id = input.required<string>();
  protected readonly live = liveGet('enclosure/ID', POLL_MS, () => ({ ID: this.id() }));
  /** What its hosts told before they fell silent is no state of now. */
  protected readonly shelf = computed(() => {
    const found = this.live.value();
    return found?.state === 'unknown' ? withoutStates(found) : found;
  });
  protected readonly columns: readonly Column<Bay>[] = [
    plain('slot', 'Slot'),
    plain('osd', 'OSD', { text: (row) => tenantsText(row) || NOTHING }),
    plain('osd_state', 'OSD state'),
    plain('status', 'Slot state'),
    plain('fault', 'Fault light', { text: (row) => (row.fault ? 'yes' : 'none') }),
    plain('device', 'Device'),
    plain('host', 'Host'),
  ];
  /** "host-0 over 2 paths, host-1 over 1". */
  protected readonly paths = computed(() => {
    const { paths = {}, hosts = [] } = this.live.value() ?? {};
    return hosts
      .map((host) => {
        const count = paths[host];
        return count === undefined ? host : `${host} (paths: ${count})`;
      })
      .join(', ');
  });
  /** The other parts, the worst first. */
  protected readonly parts = computed((): readonly Part[] => {
    const rank = ({ status }: Part): number => -badness(lookOf(status ?? ''));
    return [...(this.shelf()?.elements ?? [])].sort((a, b) => rank(a) - rank(b));
  });
  protected readonly placeOf = (row: Bay): string => `${row.slot ?? ''} ${row.osd ?? ''}`;
}

function withoutStates(found: Enclosure): Enclosure {
  return {
    ...found,
    slots: found.slots.map((slot) => ({ ...slot, status: null, fault: null })),
    elements: found.elements.map((part) => ({ ...part, status: 'unknown' })),
  };
}
