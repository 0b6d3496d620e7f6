import { Component, inject, signal } from '@angular/core';
import { Schedule } from '../../generated/types';
import { Api, livePage } from '../core/api';
import { Attempt } from '../core/attempt';
import { HostSettings } from '../core/host-settings';
import { Pulse } from '../core/pulse';
import { ScheduleDialogComponent } from './schedule-dialog.component';
import { ScheduleItemComponent } from './schedule-item.component';
import { WorkersComponent } from './workers.component';
import { PIECES } from '../shared/pieces';

/** As often as the module itself looks whether something is due. */
const POLL_MS = 15_000;

/** Rounds that start by themselves, when next and what became of the last; and the workers. */
@Component({
  selector: 'pb-schedules',
  imports: [PIECES, ScheduleDialogComponent, ScheduleItemComponent, WorkersComponent],
  template: `
    <section class="pb-card" aria-labelledby="pb-schedules">
      <header class="pb-card__head">
        <h2 id="pb-schedules">Schedules</h2>
        <span class="pb-head__space"></span>
        @if (host.may('POST schedule')) {
          <button type="button" class="pb-button" (click)="adding.set(true)">
            Add a schedule…
          </button>
        }
      </header>
      @if (attempt.refusal(); as why) {
        <pb-refusal [refusal]="why" (again)="attempt.refusal.set(null)" />
      }
      <pb-answer [live]="live">
        @if (live.value(); as page) {
          <ul class="pb-finding-list">
            @for (schedule of page.rows; track schedule.name) {
              <li>
                <pb-schedule
                  [schedule]="schedule"
                  [busy]="attempt.running()"
                  (toggled)="toggle(schedule)"
                  (removed)="removed.set(schedule.name)"
                />
              </li>
            } @empty {
              <li class="pb-empty">No schedule: rounds run only when somebody starts them.</li>
            }
          </ul>
        }
      </pb-answer>
    </section>
    <pb-workers />
    @if (adding()) {
      <pb-schedule-dialog (added)="live.refresh()" (closed)="adding.set(false)" />
    }
    @if (removed(); as name) {
      <pb-confirm
        heading="Remove the schedule {{ name }}?"
        text="It starts no more rounds; the rounds it has started stay."
        label="Remove it"
        [action]="remove"
        (closed)="removed.set(null)"
      />
    }
  `,
})
export class SchedulesComponent {
  readonly #api = inject(Api);
  readonly #pulse = inject(Pulse);
  protected readonly host = inject(HostSettings);
  protected readonly adding = signal(false);
  protected readonly removed = signal<string | null>(null);
  protected readonly attempt = new Attempt();
  protected readonly live = livePage('schedule', POLL_MS, () => {
    this.#pulse.rounds();
    return {};
  });

  protected readonly remove = async (): Promise<void> => {
    await this.#api.delete('schedule/NAME', { NAME: this.removed() });
    this.live.refresh();
  };

  protected async toggle({ name, paused }: Schedule): Promise<void> {
    await this.attempt.run(() =>
      this.#api.post(paused ? 'schedule/NAME/resume' : 'schedule/NAME/pause', { NAME: name }),
    );
    this.live.refresh();
  }
}
