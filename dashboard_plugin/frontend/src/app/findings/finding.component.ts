import { ChangeDetectionStrategy, Component, computed, inject, input, signal } from '@angular/core';
import { Finding } from '../../generated/types';
import { Api } from '../core/api';
import { HostSettings } from '../core/host-settings';
import { live } from '../core/live';
import { Refusal } from '../core/refusal';
import { Key } from '../i18n/en';
import { translator } from '../i18n/i18n';
import { AnswerComponent } from '../shared/answer.component';
import { TimeComponent } from '../shared/time.component';
import { LinkDirective } from '../shared/link.directive';
import { TargetComponent, targetRoute } from '../shared/target.component';
import { factsOf } from './evidence';
import { MuteDialogComponent } from './mute-dialog.component';
import { StateBadgeComponent } from '../shared/state-badge.component';

const POLL_MS = 15_000;
/** What a code means beyond its sentence; a code of later says enough itself. */
const WHY: Readonly<Record<string, Key>> = {
  PERF_BENCH_SLOW_OSD: 'finding.why.slow-osd',
  PERF_BENCH_SLOW_HOST: 'finding.why.slow-host',
  PERF_BENCH_SLOW_ENCLOSURE: 'finding.why.slow-enclosure',
  PERF_BENCH_LAGGY_PGS: 'finding.why.laggy-pgs',
  PERF_BENCH_ENCLOSURE_FAULT: 'finding.why.enclosure',
  PERF_BENCH_MULTIPATH_DEGRADED: 'finding.why.paths',
  PERF_BENCH_CONFIG_RISK: 'finding.why.config',
};
/** The page that shows the cause of a code; else its target has one. */
const WAYS: Readonly<Record<string, Way>> = {
  PERF_BENCH_LAGGY_PGS: { route: '/laggy', text: 'finding.laggy' },
  PERF_BENCH_MULTIPATH_DEGRADED: { route: '/paths', text: 'finding.paths' },
  PERF_BENCH_CONFIG_RISK: { route: '/doctor', text: 'finding.doctor' },
};
const OF_TARGET: Readonly<Record<string, Key>> = {
  osd: 'finding.osd',
  enclosure: 'finding.enclosure',
};

interface Way {
  readonly route: string;
  readonly text: Key;
}

/** One finding: what it says, its life, and the figures behind it. */
@Component({
  selector: 'pb-finding',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [
    StateBadgeComponent,
    AnswerComponent,
    LinkDirective,
    MuteDialogComponent,
    TargetComponent,
    TimeComponent,
  ],
  templateUrl: './finding.component.html',
})
export class FindingComponent {
  readonly id = input.required<string>();
  readonly #api = inject(Api);
  protected readonly host = inject(HostSettings);
  protected readonly t = translator();
  protected readonly asked = signal(false);
  protected readonly live = live((signal) => this.#ask(signal), {
    every: () => POLL_MS,
    remember: () => `finding ${this.id()}`,
  });
  protected readonly facts = computed(() => factsOf(this.live.value()?.evidence ?? {}));

  protected readonly why = computed(() => WHY[this.live.value()?.code ?? ''] ?? null);
  /** Where its cause can be looked at over time. */
  protected readonly way = computed((): Way | null => {
    const finding = this.live.value();
    if (!finding) return null;
    const way = WAYS[finding.code];
    if (way) return way;
    const route = targetRoute(finding.target);
    if (route === null) return null;
    return { route, text: OF_TARGET[finding.target.kind] ?? 'finding.map' };
  });

  async #ask(signal: AbortSignal): Promise<Finding> {
    const id = this.id();
    if (!/^\d{1,9}$/.test(id)) throw new Refusal('not-found', this.t('finding.bad-id', { id }));
    return await this.#api.finding(Number(id), signal);
  }
}
