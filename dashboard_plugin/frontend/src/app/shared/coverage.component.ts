import { Component, computed, input } from '@angular/core';
import { Look } from '../../generated/types';
import { livePage } from '../core/api';
import { AnswerComponent } from './answer.component';

/** It changes by the minute. */
const POLL_MS = 30_000;

/**
 * What was looked at, and what could not be, why and what would help: so that "nothing" says what of.
 * `looks` are names of the module's looks; without any it is about all of them.
 */
@Component({
  selector: 'pb-coverage',
  imports: [AnswerComponent],
  template: `
    @if (live.refusal()) {
      <pb-answer [live]="live" />
    }
    @if (shown(); as found) {
      <p class="pb-quiet">
        Looked at –
        @for (look of found; track look.name) {
          <span>{{ look.what }}: {{ counted(look) }}{{ $last ? '.' : '; ' }}</span>
        }
      </p>
      @if (gaps().length) {
        <p class="pb-quiet">Not looked at:</p>
        <ul class="pb-quiet">
          @for (gap of gaps(); track gap) {
            <li>{{ gap }}</li>
          }
        </ul>
      }
    }
  `,
})
export class CoverageComponent {
  readonly looks = input<readonly string[]>([]);
  protected readonly live = livePage('coverage', POLL_MS);
  protected readonly shown = computed(() => {
    const rows = this.live
      .value()
      ?.rows.filter((one) => this.looks().length === 0 || this.looks().includes(one.name));
    return rows?.length ? rows : null;
  });
  /** Whether these looks look at everything; null: not known now. */
  readonly complete = computed(() =>
    this.live.refusal() ? null : (this.shown()?.every((one) => one.complete) ?? null),
  );

  /** How much was looked at, and how much of that only in part. */
  protected counted(look: Look): string {
    const summary = look.summary;
    return look.partly ? `${summary}, ${look.partly} of them in part` : summary;
  }
  protected readonly gaps = computed(() => this.shown()?.flatMap((one) => one.sentences) ?? []);
}
