import { Component, computed, input, output } from '@angular/core';
import { Refusal, REFUSALS } from '../core/refusal';

/** One clear sentence on why there is no answer, and what to do. */
@Component({
  selector: 'pb-refusal',
  template: `
    <div class="pb-notice pb-notice--bad" role="alert">
      <p>{{ sentence() }}</p>
      @if (refusal().reasons.length) {
        <ul class="pb-list">
          @for (reason of refusal().reasons; track $index) {
            <li>{{ reason }}</li>
          }
        </ul>
      }
      @if (refusal().kind === 'off') {
        <p>If it is disabled, enable it with: <code>ceph mgr module enable perf_bench</code></p>
      }
      @if (repeatable()) {
        <p>
          <button type="button" class="pb-button" (click)="again.emit()">Try again</button>
        </p>
      }
    </div>
  `,
})
export class RefusalComponent {
  readonly refusal = input.required<Refusal>();
  readonly again = output();
  /** The back end's own sentence where it has one: it knows more. */
  protected readonly sentence = computed(() => {
    const { kind, reasons } = this.refusal();
    if (reasons.length) return 'It is refused for these reasons:';
    return this.refusal().message || REFUSALS[kind];
  });
  protected readonly repeatable = computed(
    () => !['forbidden', 'not-found', 'bad-request', 'logged-out'].includes(this.refusal().kind),
  );
}
