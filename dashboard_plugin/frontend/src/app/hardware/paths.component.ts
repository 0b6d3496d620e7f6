import { NOTHING } from '../core/format';
import { Column, plain } from '../shared/data-table/column';
import { tenantsText } from '../shared/tenants.component';
import { Component } from '@angular/core';
import { Multipath, Path } from '../../generated/types';
import { remoteList } from '../shared/data-table/remote-list';
import { PIECES } from '../shared/pieces';

const POLL_MS = 15_000;

/** A path that carries data, or of which nothing bad is told. */
function isGood({ state }: Path): boolean {
  return (state ?? 'active') === 'active';
}

/** "sdk (0:0:3:0)", with its state where that is a bad one. */
function pathText(path: Path): string {
  const where = path.hctl === null ? '' : ` (${path.hctl})`;
  return `${path.device}${where}${isGood(path) ? '' : ` ${path.state ?? ''}`}`;
}

/** Disks of several paths: how many carry data of those there should be. */
@Component({
  selector: 'pb-paths',
  imports: [PIECES],
  template: `
    <pb-list [of]="list" heading="Paths" [columns]="columns" [rowId]="id">
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
      <p class="pb-empty">No multipath disk is known: no host has reported one.</p>
    </pb-list>
  `,
})
export class PathsComponent {
  protected readonly list = remoteList('multipath', 'paths', POLL_MS);
  /** The keys of those that sort are those that the back end sorts by. */
  protected readonly columns: readonly Column<Multipath>[] = [
    plain('osd', 'OSD', { text: (row) => tenantsText(row) || NOTHING }),
    plain('host', 'Host'),
    plain('state', 'State', {
      help: '“bypasses multipath”: the OSD uses one path of a disk that has several. “unknown”: the facts of the host are older than two days.',
    }),
    plain('active', 'Active', {
      help: 'Paths that carry data, out of those expected: the most that were seen, or the number that was set on the host.',
      text: (row) => `${row.active} of ${row.expected ?? '?'}`,
      figure: true,
    }),
    plain('drops', 'Losses', {
      help: 'How often a path was lost in the last 24 hours.',
      sortable: false,
      figure: true,
    }),
    { key: 'paths', title: 'Paths', value: (row) => row.paths.map(pathText).join(', ') },
    plain('name', 'Device'),
    plain('wwid', 'WWID'),
  ];
  protected readonly id = (row: Multipath): string => `${row.host} ${row.name}`;
  protected readonly isGood = isGood;
  protected readonly pathText = pathText;
}
