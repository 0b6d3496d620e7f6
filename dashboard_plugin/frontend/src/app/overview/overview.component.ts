import { Component, computed, inject } from '@angular/core';
import { Osd } from '../../generated/types';
import { Api, livePage } from '../core/api';
import { Clock } from '../core/clock';
import { duration, roughDuration } from '../core/format';
import { HostSettings } from '../core/host-settings';
import { live } from '../core/live';
import { Pulse } from '../core/pulse';
import { ActiveRoundComponent } from '../rounds/active-round.component';
import { StartRound } from '../rounds/start-round';
import { Remark, assess } from './assess';
import { ClusterComponent } from './cluster.component';
import { FirstStepsComponent } from './first-steps.component';
import { LastRoundsComponent } from './last-rounds.component';
import { clientsOf } from './now';
import { NowComponent } from './now.component';
import { ProblemsComponent } from './problems.component';
import { ReportComponent } from './report.component';
import { SlowestComponent } from './slowest.component';
import { StripComponent } from './strip.component';
import { coverageText } from '../shared/coverage.component';
import { fill } from '../shared/fill';
import { PIECES } from '../shared/pieces';

const POLL_MS = 30_000;
const ROUNDS = 8;
/** Shown among the slowest. */
const OSDS = 50;
/** Benches that are older are no news. */
const NEWS_SECONDS = 7 * 86_400;

/** Is anything wrong, since when and whom does it harm; what the last rounds found; which OSDs are the slowest. */
@Component({
  selector: 'pb-overview',
  imports: [
    PIECES,
    ActiveRoundComponent,
    ClusterComponent,
    FirstStepsComponent,
    LastRoundsComponent,
    NowComponent,
    ProblemsComponent,
    ReportComponent,
    SlowestComponent,
    StripComponent,
  ],
  templateUrl: './overview.component.html',
})
export class OverviewComponent {
  readonly #api = inject(Api);
  readonly #clock = inject(Clock);
  readonly #pulse = inject(Pulse);
  protected readonly host = inject(HostSettings);
  protected readonly start = inject(StartRound);
  protected readonly fill = fill;
  protected readonly covered = coverageText;
  protected readonly status = this.#pulse.status;
  protected readonly rounds = livePage('round', POLL_MS, () => {
    this.#pulse.rounds();
    return { limit: ROUNDS };
  });
  protected readonly slowest = livePage('osd', POLL_MS, () => {
    this.#pulse.rounds();
    return { sort: '+last_bench.percent_of_peers', limit: OSDS };
  });
  protected readonly signs = { bad: '✕', warning: '!', unknown: '?', good: '✓' } as const;
  /** The hour of clients: their writes, or their reads where nobody writes. */
  protected readonly cluster = live((signal) => clientsOf(this.#api, '1h', signal), {
    every: () => POLL_MS,
    keep: true,
    remember: () => 'clients of the last hour',
  });
  protected readonly hour = computed(() => (this.cluster.refusal() ? null : this.cluster.value()));
  /** What is to be said beside the problems, which have a line each. */
  protected readonly remarks = computed(() => {
    const status = this.status.value();
    return status && assess(status);
  });

  protected sentence({ text, values }: Remark): string {
    const { late, since } = values;
    return fill(text, {
      ...values,
      ...(late === undefined ? {} : { late: duration(Number(late)) }),
      ...(since === undefined ? {} : { since: this.#span(String(since)) }),
    });
  }

  #span(since: string): string {
    return roughDuration(Math.max(0, (this.#clock.now() - Date.parse(since)) / 1000));
  }

  /** How old the newest of these benches is, if none of them is news; else nothing. */
  protected oldBench(osds: readonly Osd[]): string {
    const times = osds.flatMap(({ last_bench: bench }) => Date.parse(bench?.at ?? '') || []);
    const age = (this.#clock.now() - Math.max(...times)) / 1000;
    return times.length && age > NEWS_SECONDS ? roughDuration(age) : '';
  }
}
