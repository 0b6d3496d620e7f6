import { Component, inject, signal } from '@angular/core';
import { HostSettings } from '../core/host-settings';
import { ImportDialogComponent } from './imported/import-dialog.component';
import { ActiveRoundComponent } from './active-round.component';
import { QuiesceComponent } from './quiesce.component';
import { RoundsListComponent } from './rounds-list.component';

/** All rounds, and the one that runs. */
@Component({
  selector: 'pb-rounds',
  imports: [ActiveRoundComponent, ImportDialogComponent, QuiesceComponent, RoundsListComponent],
  template: `
    <pb-active-round />
    <pb-quiesce />
    <pb-rounds-list heading="Rounds">
      @if (host.may('POST round/import')) {
        <button
          type="button"
          class="pb-button pb-button--small"
          title="Import results of fio, elbencho or warp."
          (click)="asked.set(true)"
        >
          Import…
        </button>
      }
    </pb-rounds-list>
    @if (asked()) {
      <pb-import-dialog (closed)="asked.set(false)" />
    }
  `,
})
export class RoundsComponent {
  protected readonly host = inject(HostSettings);
  protected readonly asked = signal(false);
}
