import { Component } from '@angular/core';
import { Worker } from '../../generated/types';
import { remoteList } from '../shared/data-table/remote-list';
import { CLOCK } from './worker-columns';
import { Column, plain } from '../shared/data-table/column';
import { PIECES } from '../shared/pieces';

/** Each question is a roll call through RADOS, which takes a second. */
const POLL_MS = 15_000;

/** Hosts that wait to run clients of rounds: which are ready, lost, or not to be used. */
@Component({
  selector: 'pb-workers',
  imports: [PIECES],
  template: `
    <pb-list
      [of]="list"
      heading="Workers"
      help="Hosts that are ready to run clients of rounds, for when the network or the processors of one host would be the limit."
      [columns]="columns"
      [rowId]="id"
    >
      <ng-template pbCell="state" [pbCellOf]="list.rows()" let-row>
        <pb-state [word]="row.state" />
      </ng-template>
      <ng-template pbCell="note" [pbCellOf]="list.rows()" let-row>
        <span class="pb-words">{{ row.note }}</span>
      </ng-template>
      <ng-template pbCell="last_seen" [pbCellOf]="list.rows()" let-row>
        <pb-time [at]="row.last_seen" />
      </ng-template>
      <p class="pb-empty">No worker is connected: clients run on the host of the active manager.</p>
      <p>On a host with the worker’s keyring (see the documentation for its rights):</p>
      <pb-command text="ceph-perf-bench worker" />
    </pb-list>
  `,
})
export class WorkersComponent {
  protected readonly list = remoteList('worker', 'workers', POLL_MS);
  /** The keys of those that sort are those that the back end sorts by. */
  protected readonly columns: readonly Column<Worker>[] = [
    plain('id', 'Worker'),
    plain('host', 'Host'),
    plain('state', 'State'),
    { key: 'note', title: 'Note', value: (row) => row.note },
    CLOCK,
    plain('version', 'Version', { minor: true }),
    { key: 'last_seen', title: 'Last seen', value: (row) => row.last_seen },
  ];
  protected readonly id = (row: Worker): string => `${row.id} ${row.instance}`;
}
