import { Component, computed } from '@angular/core';
import { Multipath } from '../../generated/types';
import { TellComponent } from './tell.component';
import { remoteList } from '../shared/data-table/remote-list';
import { isGood, pathColumns, pathText } from './path-columns';
import { PIECES } from '../shared/pieces';

const POLL_MS = 15_000;

/** Disks of several paths: how many carry data of those there should be. */
@Component({
  selector: 'pb-paths',
  imports: [PIECES, TellComponent],
  template: `
    <pb-list [of]="list" heading="Paths" [columns]="columns()" [rowId]="id">
      <ng-template pbCell="osd" [pbCellOf]="list.rows()" let-row>
        <pb-tenants [of]="row" />
      </ng-template>
      <ng-template pbCell="state" [pbCellOf]="list.rows()" let-row>
        <pb-state [word]="row.state" />
      </ng-template>
      <ng-template pbCell="paths" [pbCellOf]="list.rows()" let-row>
        @for (path of row.paths; track path.device) {
          <span [class.pb-slow]="!isGood(path)">{{ pathText(path) }}</span>{{ $last ? '' : ', ' }}
        }
      </ng-template>
      <pb-tell what="No multipath disk is known: no host has reported one." />
    </pb-list>
  `,
})
export class PathsComponent {
  protected readonly list = remoteList('multipath', 'paths', POLL_MS);
  protected readonly columns = computed(() => pathColumns());
  protected readonly id = (row: Multipath): string => `${row.host} ${row.name}`;
  protected readonly isGood = isGood;
  protected readonly pathText = pathText;
}
