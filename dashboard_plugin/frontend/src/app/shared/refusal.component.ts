import { ChangeDetectionStrategy, Component, computed, input, output } from '@angular/core';
import { Refusal } from '../core/refusal';
import { translator } from '../i18n/i18n';

/** One clear sentence on why there is no answer, and what to do. */
@Component({
  selector: 'pb-refusal',
  changeDetection: ChangeDetectionStrategy.OnPush,
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
        <p>{{ t('refusal.off.do') }} <code>ceph mgr module enable perf_bench</code></p>
      }
      @if (repeatable()) {
        <p>
          <button type="button" class="pb-button" (click)="again.emit()">
            {{ t('state.retry') }}
          </button>
        </p>
      }
    </div>
  `,
})
export class RefusalComponent {
  readonly refusal = input.required<Refusal>();
  readonly again = output();
  protected readonly t = translator();
  /** The back end's own sentence where it has one: it knows more. */
  protected readonly sentence = computed(() => {
    const { kind, reasons } = this.refusal();
    if (reasons.length) return this.t('refusal.reasons');
    return this.refusal().message || this.t(`refusal.${kind}`);
  });
  protected readonly repeatable = computed(
    () => !['forbidden', 'not-found', 'bad-request', 'logged-out'].includes(this.refusal().kind),
  );
}
