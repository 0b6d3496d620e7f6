import { ChangeDetectionStrategy, Component, computed, inject, input } from '@angular/core';
import { ClusterLatency, Finding } from '../../generated/types';
import { Api } from '../core/api';
import { live } from '../core/live';
import { Pulse } from '../core/pulse';
import { beganAt, harm } from '../overview/now';
import { AnswerComponent } from '../shared/answer.component';
import { SinceComponent } from '../shared/since.component';
import { LinkDirective } from '../shared/link.directive';
import { WatchStateComponent } from '../shared/watch-state.component';
import { widestFirst } from './width';
import { StateBadgeComponent } from '../shared/state-badge.component';
import { fill } from '../shared/fill';

const POLL_MS = 15_000;
/** Asked for, to find the widest causes among them; shown are the first few. */
const ASKED = 200;
const SHOWN = 8;

/** What is wrong now as far as the watch sees it: the widest cause first. */
@Component({
  selector: 'pb-open-findings',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [
    StateBadgeComponent,
    AnswerComponent,
    LinkDirective,
    SinceComponent,
    WatchStateComponent,
  ],
  templateUrl: './open-findings.component.html',
})
export class OpenFindingsComponent {
  /** The clients' last hour, for what a finding has done to them; null: not known. */
  readonly cluster = input<ClusterLatency | null>(null);
  readonly #api = inject(Api);
  readonly #pulse = inject(Pulse);
  protected readonly fill = fill;
  protected readonly live = live((signal) => this.#api.findings({ limit: ASKED }, signal), {
    every: () => POLL_MS,
    keep: true,
    remember: () => 'open findings',
  });
  readonly #open = computed(() =>
    widestFirst(this.live.value()?.rows.filter((one) => one.state === 'open') ?? []),
  );
  protected readonly shown = computed(() => this.#open().slice(0, SHOWN));
  protected readonly muted = computed(
    () => this.live.value()?.rows.filter((one) => one.state === 'muted').length ?? 0,
  );
  protected readonly more = computed(() => {
    const page = this.live.value();
    return page ? page.total - this.muted() - this.shown().length : 0;
  });
  /** Whether "nothing found" would be true. */
  protected readonly looking = computed(() => {
    const watch = this.#pulse.status.value()?.watch;
    return watch !== undefined && watch.on && watch.last_tick_at !== null;
  });

  /** What clients have felt since it began, where that is within the hour. */
  protected felt(finding: Finding): string {
    const cluster = this.cluster();
    return cluster ? harm(cluster, beganAt(finding)) : '';
  }
}
