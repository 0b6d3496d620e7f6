import { Component, computed, input } from '@angular/core';
import { RoundLine } from '../../generated/types';
import { percent } from '../core/format';
import { LinkDirective } from '../shared/link.directive';

/** The slowest OSD of a round, with its percentage of its peers. */
@Component({
  selector: 'pb-slowest-osd',
  imports: [LinkDirective],
  template: `
    @if (osd() !== null) {
      <a [pbLink]="'/osds/' + osd()">osd.{{ osd() }}</a>
      &ngsp;<span class="pb-nowrap">{{ percentOfPeers() }}</span>
    } @else {
      –
    }
  `,
})
export class SlowestOsdComponent {
  readonly round = input.required<RoundLine>();
  protected readonly osd = computed(() => {
    const found = this.round().summary.slowest_osd;
    return typeof found === 'number' ? found : null;
  });
  protected readonly percentOfPeers = computed(() =>
    percent(this.round().summary.slowest_percent_of_peers),
  );
}
