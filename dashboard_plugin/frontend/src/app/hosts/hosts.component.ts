import { number, whole } from '../core/format';
import { Column, figure, plain } from '../shared/data-table/column';
import { Component } from '@angular/core';
import { Host } from '../../generated/types';
import { remoteList } from '../shared/data-table/remote-list';
import { PIECES } from '../shared/pieces';

const POLL_MS = 60_000;
/** Older facts accuse nobody. */
const STALE_SECONDS = 2 * 86_400;

/** The hosts and what they told of themselves, so that one sees who has not. */
@Component({
  selector: 'pb-hosts',
  imports: [PIECES],
  template: `
    <pb-list
      [of]="list"
      heading="Hosts"
      help="The host of the slowest OSD first, against its peers. Old reports of hosts raise no findings."
      [columns]="columns"
      [rowId]="id"
    >
      <ng-template pbCell="host" [pbCellOf]="list.rows()" let-row>
        <a [pbLink]="'/hosts/' + encoded(row)">{{ row.host }}</a>
      </ng-template>
      <ng-template pbCell="collected_at" [pbCellOf]="list.rows()" let-row>
        @if (row.collected_at) {
          <pb-time [at]="row.collected_at" />&ngsp;
          @if (stale(row)) {
            <span class="pb-badge pb-badge--warning">old</span>
          }
        } @else {
          <span class="pb-quiet">never</span>
        }
      </ng-template>
    </pb-list>
  `,
})
export class HostsComponent {
  protected readonly list = remoteList('host', 'hosts', POLL_MS);
  /** The keys of those that sort are those that the back end sorts by. */
  protected readonly columns: readonly Column<Host>[] = [
    plain('host', 'Host'),
    { key: 'osds', title: 'OSDs', value: (row) => row.osds.length, sortable: true, figure: true },
    figure('slow', 'Slow OSDs', whole),
    figure('worst_ratio', 'Slowest OSD', (value) =>
      value === null ? '–' : `${number(value, 2)} ×`,
    ),
    plain('collected_at', 'Reported'),
  ];
  protected readonly id = (row: Host): string => row.host;

  protected encoded({ host }: Host): string {
    return encodeURIComponent(host);
  }

  protected stale({ age_seconds }: Host): boolean {
    return (age_seconds ?? 0) > STALE_SECONDS;
  }
}
