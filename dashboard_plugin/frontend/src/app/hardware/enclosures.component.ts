import { Component, computed } from '@angular/core';
import { Enclosure } from '../../generated/types';
import { CellDirective } from '../shared/data-table/cell.directive';
import { ListComponent } from '../shared/data-table/list.component';
import { remoteList } from '../shared/data-table/remote-list';
import { LinkDirective } from '../shared/link.directive';
import { StateBadgeComponent } from '../shared/state-badge.component';
import { enclosureColumns } from './enclosure-columns';
import { TellComponent } from './tell.component';

const POLL_MS = 15_000;

/** The enclosures that are known. */
@Component({
  selector: 'pb-enclosures',
  imports: [CellDirective, LinkDirective, ListComponent, StateBadgeComponent, TellComponent],
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
