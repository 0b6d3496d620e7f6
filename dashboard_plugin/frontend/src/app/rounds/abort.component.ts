import { Component, inject, input, signal } from '@angular/core';
import { Api } from '../core/api';
import { HostSettings } from '../core/host-settings';
import { Pulse } from '../core/pulse';
import { ConfirmComponent } from '../shared/confirm.component';

/** Benches end and settings are back within this, but for a monitor or an OSD that does not answer. */
const STOPS_MS = 60_000;

/** Ends a running round after a second thought; nothing for those who may not. */
@Component({
  selector: 'pb-abort',
  imports: [ConfirmComponent],
  template: `
    @if (pulse.stopping() === round()) {
      <span class="pb-quiet" role="status">Stopping…</span>
    } @else if (host.may('POST round/ID/abort')) {
      <button
        type="button"
        class="pb-button pb-button--danger"
        [class.pb-button--small]="small()"
        (click)="asked.set(round())"
      >
        Abort…
      </button>
    }
    @if (asked(); as id) {
      <pb-confirm
        heading="Abort round {{ id }}?"
        text="The round ends within seconds. Results so far are kept, with the verdict “aborted”. Benches that have started on an OSD run to their end."
        label="Abort the round"
        [action]="abort"
        (closed)="asked.set(null)"
      />
    }
  `,
})
export class AbortComponent {
  readonly round = input.required<number>();
  readonly small = input(false);
  readonly #api = inject(Api);
  protected readonly pulse = inject(Pulse);
  protected readonly host = inject(HostSettings);
  /** The round that was meant when the question was asked: another may have begun since. */
  protected readonly asked = signal<number | null>(null);

  protected readonly abort = async (): Promise<void> => {
    const id = this.asked();
    if (id !== null) await this.#api.post('round/ID/abort', { ID: id });
    this.pulse.stopping.set(id);
    // Longer than usual: who asked may ask again.
    setTimeout(() => this.pulse.stopping.set(null), STOPS_MS);
    this.pulse.status.refresh();
  };
}
