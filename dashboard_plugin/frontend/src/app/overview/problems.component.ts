import { Component, computed, inject } from '@angular/core';
import { Pulse } from '../core/pulse';
import { fill } from '../shared/fill';
import { isLoud, problemRoute } from '../wrong/problem';
import { PIECES } from '../shared/pieces';

const SHOWN = 8;

/** The head of the module's list of what is wrong: a line each, since when, and its harm. */
@Component({
  selector: 'pb-problems',
  imports: [PIECES],
  template: `
    @if (shown().length) {
      <ul class="pb-finding-list" aria-label="Problems">
        @for (one of shown(); track $index) {
          <li class="pb-finding">
            <pb-state [word]="one.severity" />
            <div>
              <p>
                <a [pbLink]="route(one)">{{ one.text }}</a>
                @if (one.since) {
                  &ngsp;<span class="pb-quiet"><pb-time [at]="one.since" [lasting]="true" /></span>
                }
              </p>
              @if (one.harm) {
                <p>{{ one.harm }}</p>
              }
            </div>
            <a class="pb-button pb-button--small" [pbLink]="route(one)">What to do</a>
          </li>
        }
      </ul>
    }
    @if (more() || muted()) {
      <p>
        <a pbLink="/wrong">{{ more() ? fill('{count} more', { count: more() }) : 'All' }}</a>
        @if (muted()) {
          &ngsp;<span class="pb-quiet">{{ muted() }} muted</span>
        }
      </p>
    }
  `,
})
export class ProblemsComponent {
  readonly #status = inject(Pulse).status;
  readonly #all = computed(() => this.#status.value()?.problems ?? []);
  protected readonly fill = fill;
  protected readonly route = problemRoute;
  protected readonly shown = computed(() => this.#all().filter(isLoud).slice(0, SHOWN));
  protected readonly muted = computed(() => this.#all().filter(({ muted }) => muted).length);
  protected readonly more = computed(
    () =>
      this.#all().length -
      this.shown().length -
      this.muted() +
      (this.#status.value()?.problems_left_out ?? 0),
  );
}
