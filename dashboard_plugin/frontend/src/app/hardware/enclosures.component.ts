import { Column, plain } from '../shared/data-table/column';
import { Component } from '@angular/core';
import { Enclosure } from '../../generated/types';
import { remoteList } from '../shared/data-table/remote-list';
import { PIECES } from '../shared/pieces';

const POLL_MS = 15_000;

/** The enclosures that are known. */
@Component({
  selector: 'pb-enclosures',
  imports: [PIECES],
  template: `
    <pb-list [of]="list" heading="Enclosures" [columns]="columns" [rowId]="id">
      <ng-template pbCell="id" [pbCellOf]="list.rows()" let-row>
        <a [pbLink]="route(row)">{{ row.id }}</a>
      </ng-template>
      <ng-template pbCell="state" [pbCellOf]="list.rows()" let-row>
        <pb-state [word]="row.state" />
      </ng-template>
      <p class="pb-empty">No enclosure is known: no host has reported one.</p>
      <p>On each host, or by the systemd timer that comes with the tool:</p>
      <pb-command text="ceph-perf-bench facts --push" />
      <p>Or from a file that was made on the host:</p>
      <pb-command text="ceph perf-bench host import HOST -i FACTS.json" />
    </pb-list>
  `,
})
export class EnclosuresComponent {
  protected readonly list = remoteList('enclosure', 'enclosures', POLL_MS);
  /** The keys of those that sort are those that the back end sorts by. */
  protected readonly columns: readonly Column<Enclosure>[] = [
    plain('id', 'ID'),
    plain('state', 'State'),
    plain('model', 'Model'),
    plain('serial', 'Serial number', { minor: true }),
    { key: 'hosts', title: 'Seen by', value: (row) => row.hosts.join(', '), sortable: true },
    {
      key: 'slots',
      title: 'Slots',
      value: (row) => row.slots.filter(({ slot }) => slot !== null).length,
      sortable: true,
      figure: true,
    },
    plain('osds', 'OSDs', { figure: true }),
    plain('osds_down', 'Down', { figure: true }),
  ];
  protected readonly id = (row: Enclosure): string => row.id;

  protected route({ id }: Enclosure): string {
    return `/enclosures/${encodeURIComponent(id)}`;
  }
}
