import { Component, computed, inject } from '@angular/core';
import { Api } from '../core/api';
import { everything } from '../core/everything';
import { HostSettings } from '../core/host-settings';
import { live } from '../core/live';
import { Pulse } from '../core/pulse';
import { StartRound } from '../rounds/start-round';
import { CommandComponent } from '../shared/command.component';
import { LinkDirective } from '../shared/link.directive';
import { fill } from '../shared/fill';

const POLL_MS = 30_000;

/** What a cluster without data needs for which answer, and how much of that is done. */
@Component({
  selector: 'pb-first-steps',
  imports: [CommandComponent, LinkDirective],
  template: `
    @if (shown()) {
      <section class="pb-card" aria-labelledby="pb-first">
        <h2 id="pb-first">First steps</h2>
        <p class="pb-quiet">This cluster has no measurements yet. What gives which answer:</p>
        <ol class="pb-steps">
          @for (step of steps(); track step.key) {
            <li [class.pb-steps__done]="step.done">
              <span class="pb-remark__sign" aria-hidden="true">{{ step.done ? '✓' : '·' }}</span>
              <div>
                <strong>{{ step.key }}</strong>
                <span class="pb-hidden">({{ step.done ? 'done' : 'open' }})</span>
                <p class="pb-quiet">{{ step.text }}</p>
                @if (!step.done) {
                  @switch (step.key) {
                    @case ('A round measures how fast OSDs are') {
                      @if (host.may('POST round')) {
                        <button
                          type="button"
                          class="pb-button pb-button--main"
                          (click)="start.open()"
                        >
                          Start the first round
                        </button>
                      }
                    }
                    @case ('Hosts report disks, enclosures and paths') {
                      <pb-command text="ceph-perf-bench facts --push" />
                    }
                    @case ('A schedule repeats rounds, so that changes show') {
                      <a pbLink="/schedules">Add a schedule</a>
                    }
                  }
                }
              </div>
            </li>
          }
        </ol>
      </section>
    }
  `,
})
export class FirstStepsComponent {
  readonly #api = inject(Api);
  readonly #status = inject(Pulse).status;
  protected readonly host = inject(HostSettings);
  protected readonly start = inject(StartRound);
  /** A database that does not answer is no empty one. */
  protected readonly shown = computed(() => this.#status.value()?.store.rounds === 0);
  readonly #hosts = live(
    async (signal) =>
      this.shown() ? everything((part) => this.#api.page('host', part, signal)) : null,
    { every: () => POLL_MS, keep: true },
  );
  readonly #schedules = live(
    async (signal) => (this.shown() ? this.#api.page('schedule', {}, signal) : null),
    { every: () => POLL_MS, keep: true },
  );
  readonly #watch = computed(() => {
    const { judged = 0, osds = 0 } = this.#status.value()?.watch ?? {};
    const text = judged
      ? fill('{judged} of {osds|OSD|OSDs} have a verdict.', { judged, osds })
      : 'It needs some minutes of client operations on each OSD.';
    return {
      key: 'The watch compares the latencies of OSDs',
      done: osds > 0 && judged === osds,
      text,
    } as const;
  });
  readonly #facts = computed(() => {
    const all = this.#hosts.value() ?? [];
    const hosts = all.length;
    const known = all.filter((one) => one.collected_at).length;
    const done = hosts > 0 && known === hosts;
    const told = fill('{known} of {hosts|host|hosts} have reported.', { known, hosts });
    const text = done ? told : `${told} Run this on each host:`;
    return { key: 'Hosts report disks, enclosures and paths', done, text } as const;
  });
  protected readonly steps = computed(() => {
    const planned = Boolean(this.#schedules.value()?.total);
    return [
      this.#watch(),
      {
        key: 'A round measures how fast OSDs are',
        done: false,
        text: 'A first round takes minutes and shows its plan before it starts.',
      },
      this.#facts(),
      { key: 'A schedule repeats rounds, so that changes show', done: planned, text: '' },
    ] as const;
  });
}
