import { Component, computed, inject, input } from '@angular/core';
import { ClusterLatency } from '../../generated/types';
import { liveGet } from '../core/api';
import { Clock } from '../core/clock';
import { Pulse } from '../core/pulse';
import { LinkDirective } from '../shared/link.directive';
import { Tile, clientTiles, laggyTile } from './now';

const POLL_MS = 30_000;

/** Four numbers of now against an hour ago: what clients feel, how much they do, what hangs. */
@Component({
  selector: 'pb-now',
  imports: [LinkDirective],
  template: `
    @for (tile of tiles(); track tile.name) {
      <div class="pb-tile" [class.pb-tile--worse]="tile.worse">
        @if (tile.name === 'Laggy PGs') {
          <a class="pb-tile__name" pbLink="/laggy">{{ tile.name }}</a>
        } @else {
          <span class="pb-tile__name">{{ tile.name }}</span>
        }
        <strong class="pb-tile__now">{{ tile.now ?? 'not known' }}</strong>
        <span class="pb-quiet">
          {{ tile.name === 'Laggy PGs' ? 'most in the last hour:' : 'an hour ago:' }}
          {{ tile.before ?? 'not known' }}
        </span>
      </div>
    }
  `,
  host: { class: 'pb-tiles', role: 'group', 'aria-label': 'Now, against an hour ago' },
})
export class NowComponent {
  /** Latency and work of clients in the last hour; null: not known (yet). */
  readonly cluster = input.required<ClusterLatency | null>();
  readonly #clock = inject(Clock);
  readonly #pulse = inject(Pulse);
  readonly #laggy = liveGet('laggy', POLL_MS);
  protected readonly tiles = computed((): readonly Tile[] => {
    const unknown = (name: string): Tile => ({ name, now: null, before: null, worse: false });
    const [cluster, laggy] = [this.cluster(), this.#laggy.value()];
    // Counts of PGs that are not current are not "now".
    const counted = laggy && this.#laggy.refusal() === null;
    const since = this.#pulse.status.value()?.watch.since ?? null;
    return [
      ...(cluster
        ? clientTiles(cluster)
        : ['Client writes', 'Client IOPS', 'Client MiB/s'].map(unknown)),
      counted ? laggyTile(laggy, since, this.#clock.now()) : unknown('Laggy PGs'),
    ];
  });
}
