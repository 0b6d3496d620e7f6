import { Component, computed, input, model, output } from '@angular/core';
import { livePage } from '../core/api';
import { MOST } from '../core/everything';
import { AnswerComponent } from '../shared/answer.component';
import { LinkDirective } from '../shared/link.directive';

/** Each question is a roll call through RADOS, which takes a second. */
const POLL_MS = 15_000;
const USABLE: readonly string[] = ['ready', 'busy'];

/** Which workers a round's clients run on; none: beside the active manager. */
@Component({
  selector: 'pb-workers-field',
  imports: [AnswerComponent, LinkDirective],
  template: `
    <fieldset class="pb-field pb-picks" [attr.aria-describedby]="'pb-workers-help'">
      <legend>Workers</legend>
      <pb-answer [live]="live">
        @for (name of names(); track name) {
          <label class="pb-check">
            <input
              type="checkbox"
              [checked]="chosen().includes(name)"
              (change)="value.set(toggled(name))"
            />
            <span>{{ name }}</span>
          </label>
        } @empty {
          @if (live.value()) {
            <span class="pb-quiet"
              >No worker is ready: clients run on the host of the active manager.
              <a pbLink="/schedules" (followed)="left.emit()">Workers</a></span
            >
          }
        }
      </pb-answer>
      <small id="pb-workers-help">
        @if (wrong()) {
          <span class="pb-field__wrong" role="alert">{{ wrong() }}</span>
        } @else {
          none chosen: clients run on the host of the active manager
        }
      </small>
    </fieldset>
  `,
})
export class WorkersFieldComponent {
  /** Names with commas; empty for none. */
  readonly value = model.required<string>();
  /** A sentence; empty when nothing is wrong. */
  readonly wrong = input('');
  /** Another page is gone to. */
  readonly left = output();
  protected readonly live = livePage('worker', POLL_MS, () => ({ limit: MOST }));
  protected readonly chosen = computed(() => this.value().split(',').filter(Boolean));
  /** Who can be used, and who was chosen when they still could. */
  protected readonly names = computed(() => {
    const rows = this.live.value()?.rows ?? [];
    const usable = rows.filter(({ state }) => USABLE.includes(state)).map(({ id }) => id);
    return [...new Set([...usable, ...this.chosen()])].sort();
  });

  protected toggled(name: string): string {
    const [chosen, names] = [this.chosen(), this.names()];
    return names.filter((one) => chosen.includes(one) !== (one === name)).join(',');
  }
}
