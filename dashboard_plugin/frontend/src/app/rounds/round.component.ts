import {
  ChangeDetectionStrategy,
  Component,
  DestroyRef,
  Signal,
  computed,
  effect,
  inject,
  input,
  linkedSignal,
  signal,
  untracked,
} from '@angular/core';
import { OsdResult, Round } from '../../generated/types';
import { ChartComponent } from '../charts/chart.component';
import { palette } from '../charts/palette';
import { Api } from '../core/api';
import { duration, inMib, mib, number, percent, size } from '../core/format';
import { HostSettings } from '../core/host-settings';
import { Live, live } from '../core/live';
import { Navigator } from '../core/navigator';
import { Pulse } from '../core/pulse';
import { Refusal } from '../core/refusal';
import { withQuery } from '../core/route';
import { toldInIops } from '../core/slow';
import { translator } from '../i18n/i18n';
import { AnswerComponent } from '../shared/answer.component';
import { PeersComponent } from '../shared/peers.component';
import { TimeComponent } from '../shared/time.component';
import { ConfirmComponent } from '../shared/confirm.component';
import { CellDirective } from '../shared/data-table/cell.directive';
import { DataTableComponent } from '../shared/data-table/data-table.component';
import { download } from '../shared/data-table/export';
import { ImportedComponent } from './imported/imported.component';
import { LoadComponent } from './load/load.component';
import { loadFacts } from './load/load-facts';
import { SaturationComponent } from './load/saturation.component';
import { Fact, FactsComponent } from '../shared/facts.component';
import { LinkDirective } from '../shared/link.directive';
import { RefusalComponent } from '../shared/refusal.component';
import { ActiveRoundComponent } from './active-round.component';
import { compareRoute } from './choice';
import { EnvironmentComponent } from './environment.component';
import { histogram } from './histogram';
import { osdColumns } from './osd-columns';
import { PartsComponent } from './parts.component';
import { distributionOption, wavesOption } from './round-charts';
import { WholeRound } from './whole-round';
import { StateBadgeComponent } from '../shared/state-badge.component';

const POLL_RUNNING_MS = 10_000;
/** OSDs in the first answer: a page is there at once, and the others come behind it. */
const FIRST = 100;

/** One round: its verdict and why, its figures, its OSDs, and where it ran. */
@Component({
  selector: 'pb-round',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [
    StateBadgeComponent,
    ActiveRoundComponent,
    AnswerComponent,
    CellDirective,
    ChartComponent,
    ConfirmComponent,
    DataTableComponent,
    EnvironmentComponent,
    FactsComponent,
    ImportedComponent,
    LinkDirective,
    LoadComponent,
    PartsComponent,
    PeersComponent,
    RefusalComponent,
    SaturationComponent,
    TimeComponent,
  ],
  templateUrl: './round.component.html',
})
export class RoundComponent {
  readonly id = input.required<string>();
  readonly #api = inject(Api);
  readonly #pulse = inject(Pulse);
  readonly #navigator = inject(Navigator);
  protected readonly host = inject(HostSettings);
  protected readonly t = translator();
  protected readonly asked = signal(false);
  protected readonly live: Live<Round> = live((signal) => this.#ask(signal), {
    every: () => (this.round()?.ended_at === null ? POLL_RUNNING_MS : null),
    keep: true,
  });
  /** Of this page's round: while another comes, the one before is none. */
  protected readonly round: Signal<Round | null> = computed(() => {
    const round = this.live.value();
    return round && String(round.id) === this.id() ? round : null;
  });
  protected readonly whole = new WholeRound(this.#api);
  protected readonly iops = computed(() => toldInIops(this.round()?.step.block_size ?? 0));
  /** Charts against peers and the OSD's own median, or in plain figures. */
  protected readonly plain = linkedSignal(
    () => !this.whole.drawn().some((row) => row.percent_of_peers !== null),
  );
  protected readonly plainUnit = computed(() => (this.iops() ? 'IOPS' : 'MiB/s'));
  protected readonly unit = computed(() => (this.plain() ? this.plainUnit() : '%'));
  protected readonly running = computed(() => this.#pulse.active()?.id === this.round()?.id);
  protected readonly columns = computed(() => osdColumns(this.t));
  protected readonly rowId = (row: OsdResult): number => row.osd;
  readonly #colours = computed(() => palette(this.host.dark()));
  readonly #histogram = computed(() =>
    histogram(
      this.whole
        .drawn()
        .map((row) => this.#figure(row))
        .filter((value) => value !== null),
    ),
  );
  protected readonly distribution = computed(() => {
    const found = this.#histogram();
    if (!found) return null;
    const values = { figure: this.unit(), count: this.whole.drawn().length };
    const [low, high, median] = [found.low, found.high, found.median].map((v) => number(v));
    return {
      option: distributionOption(
        found,
        this.plain() ? this.unit() : this.t('round.of-peers'),
        this.plain() ? null : (this.#pulse.limits()?.slow_percent ?? null),
        this.#colours(),
        this.t,
      ),
      label: this.t('round.distribution.label', {
        ...values,
        low: low ?? '',
        high: high ?? '',
        median: median ?? '',
      }),
    };
  });
  protected readonly waves = computed(() => {
    // Of clients there is a chart of every second.
    if (this.round()?.load) return null;
    // One sample is its own median: its share of that says nothing.
    const plain = this.plain() || this.round()?.repeats === 1;
    const points = plain ? this.whole.waves() : this.whole.drift();
    if (points.length === 0) return null;
    return {
      option: wavesOption(
        points,
        plain ? this.plainUnit() : this.t('round.of-own'),
        this.#colours(),
        this.t,
      ),
      label: this.t('round.waves.label', { count: points.length }),
    };
  });
  protected readonly facts = computed(() => this.#facts(this.round()));

  protected readonly remove = async (): Promise<void> => {
    await this.#api.remove(Number(this.id()));
    this.#pulse.status.refresh();
    this.#navigator.go('/rounds');
  };

  protected readonly history = computed(() =>
    withQuery('/history', { profile: this.round()?.profile ?? null }),
  );

  constructor() {
    effect(() => {
      const round = this.round();
      untracked(() => this.whole.begin(round));
    });
    inject(DestroyRef).onDestroy(() => this.whole.end());
  }

  protected compare(id: number): string {
    return compareRoute(id, null);
  }

  protected exportWhole(): void {
    const round = { ...this.round(), per_osd: this.whole.rows(), samples: undefined };
    const text = `${JSON.stringify(round, null, 2)}\n`;
    download(`round-${this.id()}.json`, 'application/json', text);
  }

  // A rejection made before anybody awaits it is reported as unhandled by the host's zone.js.
  async #ask(signal: AbortSignal): Promise<Round> {
    const id = this.id();
    this.#pulse.rounds();
    if (!/^\d{1,9}$/.test(id)) {
      throw new Refusal('not-found', this.t('round.bad-id', { id }));
    }
    return await this.#api.round(Number(id), { limit: FIRST }, signal);
  }

  #figure(row: OsdResult): number | null {
    if (!this.plain()) return row.percent_of_peers;
    return this.iops() ? row.median_iops : inMib(row.median_bytes_per_second);
  }

  #facts(round: Round | null): readonly Fact[] {
    if (!round) return [];
    if (round.load) return loadFacts(round, round.load, this.t);
    if (round.imported) return this.#reported(round);
    const { summary, step } = round;
    const plan = {
      waves: round.waves.length,
      repeats: round.repeats,
      block: size(step.block_size),
      total: size(step.total_bytes),
    };
    const osds = `${number(summary.osds_measured ?? null, 0)} / ${round.osds}`;
    return [
      { name: this.t('common.profile'), text: round.profile },
      { name: this.t('common.samples'), text: this.t('round.plan', plan) },
      { name: this.t('rounds.osds'), text: osds },
      { name: this.t('common.took'), text: duration(round.took_seconds) },
      { name: this.t('rounds.median'), text: speed(round) },
      { name: this.t('common.cv'), text: percent(summary.median_cv_percent, 1) },
    ];
  }

  /** Several jobs have no figures together: whether they ran at once is not told. */
  #reported(round: Round): readonly Fact[] {
    const { imported, summary, kind } = round;
    const version = imported?.version ?? '';
    return [
      {
        name: this.t('import.as'),
        text: version.startsWith(kind) ? version : `${kind} ${version}`,
      },
      { name: this.t('common.took'), text: duration(round.took_seconds) },
      ...(summary.median_bytes_per_second === undefined
        ? []
        : [{ name: this.t('common.throughput'), text: speed(round) }]),
    ];
  }
}

function speed({ summary }: Round): string {
  return `${mib(summary.median_bytes_per_second)} MiB/s · ${number(summary.median_iops)} IOPS`;
}
