import { Component, computed } from '@angular/core';
import { Enclosure } from '../../generated/types';
import { remoteList } from '../shared/data-table/remote-list';
import { enclosureColumns } from './enclosure-columns';
import { TellComponent } from './tell.component';
import { PIECES } from '../shared/pieces';

const POLL_MS = 15_000;

/** The enclosures that are known. */
@Component({
  selector: 'pb-enclosures',
  imports: [PIECES, TellComponent],
  template: `
    <pb-list [of]="list" heading="Enclosures" [columns]="columns()" [rowId]="id">
      <ng-template pbCell="id" [pbCellOf]="list.rows()" let-row>
        <a [pbLink]="route(row)">{{ row.id }}</a>
      </ng-template>
      <ng-template pbCell="state" [pbCellOf]="list.rows()" let-row>
        <pb-state [word]="row.state" />
      </ng-template>
      <pb-tell what="No enclosure is known: no host has reported one." />
    </pb-list>
  `,
})
export class EnclosuresComponent {
  protected readonly list = remoteList('enclosure', 'enclosures', POLL_MS);
  protected readonly columns = computed(() => enclosureColumns());
  protected readonly id = (row: Enclosure): string => row.id;

  protected route({ id }: Enclosure): string {
    return `/enclosures/${encodeURIComponent(id)}`;
  }
}
