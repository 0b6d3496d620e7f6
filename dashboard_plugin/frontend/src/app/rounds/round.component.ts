import { Component, Signal, computed, inject, input, linkedSignal } from '@angular/core';
import { OsdResult, Round } from '../../generated/types';
import { Api } from '../core/api';
import { everything } from '../core/everything';
import { duration, mib, number, percent, size } from '../core/format';
import { HostSettings } from '../core/host-settings';
import { Live, live } from '../core/live';
import { Navigator } from '../core/navigator';
import { Pulse } from '../core/pulse';
import { Refusal } from '../core/refusal';
import { withQuery } from '../core/route';
import { PeersComponent } from '../shared/peers.component';
import { Column, figure, plain, TableQuery } from '../shared/data-table/column';
import { ImportedComponent } from './imported/imported.component';
import { LoadComponent } from './load/load.component';
import { loadFacts } from './load/load-facts';
import { SaturationComponent } from './load/saturation.component';
import { Fact } from '../shared/facts.component';
import { compareRoute } from './choice';
import { DistributionComponent } from './distribution.component';
import { EnvironmentComponent } from './environment.component';
import { InterimComponent } from './interim.component';
import { PartsComponent } from './parts.component';
import { ProgressComponent } from './progress.component';
import { QuiesceComponent } from './quiesce.component';
import { RoundFilesComponent } from './round-files.component';
import { fill } from '../shared/fill';
import { PIECES } from '../shared/pieces';
import { CV, OF_PEERS, ROBUST_Z } from './result-column';

const POLL_RUNNING_MS = 10_000;
const FIRST: TableQuery = { offset: 0, limit: 25, sort: '', search: '' };

/** One round: its verdict and why, its figures, its OSDs, and where it ran. */
@Component({
  selector: 'pb-round',
  imports: [
    PIECES,
    DistributionComponent,
    EnvironmentComponent,
    ImportedComponent,
    InterimComponent,
    LoadComponent,
    PartsComponent,
    PeersComponent,
    ProgressComponent,
    QuiesceComponent,
    RoundFilesComponent,
    SaturationComponent,
  ],
  templateUrl: './round.component.html',
})
export class RoundComponent {
  readonly id = input.required<string>();
  readonly #api = inject(Api);
  readonly #pulse = inject(Pulse);
  readonly #navigator = inject(Navigator);
  protected readonly host = inject(HostSettings);
  protected readonly fill = fill;
  /** Of this page's round: a dialog must not come to mean another. */
  protected readonly asked = linkedSignal({ source: this.id, computation: () => false });
  /** Which of its OSDs are wanted; another round begins anew. */
  protected readonly query = linkedSignal<string, TableQuery>({
    source: this.id,
    computation: () => FIRST,
  });
  protected readonly live: Live<Round> = live((signal) => this.#ask(signal), {
    every: () => (this.round()?.ended_at === null ? POLL_RUNNING_MS : null),
    keep: true,
  });
  /** Of this page's round: while another comes, the one before is none. */
  protected readonly round: Signal<Round | null> = computed(() => {
    const round = this.live.value();
    return round && String(round.id) === this.id() ? round : null;
  });
  protected readonly running = computed(() => String(this.#pulse.active()?.id) === this.id());
  /** It was told to stop here: it ends its benches, and puts settings back. */
  protected readonly stopping = computed(() => String(this.#pulse.stopping()) === this.id());
  protected readonly columns: readonly Column<OsdResult>[] = [
    plain('osd', 'OSD'),
    plain('host', 'Host'),
    plain('class', 'Class'),
    plain('model', 'Model'),
    figure('median_bytes_per_second', 'MiB/s', mib),
    figure('median_iops', 'IOPS', number),
    CV,
    OF_PEERS,
    ROBUST_Z,
    plain('samples', 'Samples', { figure: true, minor: true }),
  ];
  protected readonly rowId = (row: OsdResult): number => row.osd;
  protected readonly facts = computed(() => this.#facts(this.round()));

  protected readonly remove = async (): Promise<void> => {
    await this.#api.delete('round/ID', { ID: this.id() });
    this.#pulse.status.refresh();
    this.#navigator.go('/rounds');
  };

  protected readonly all = (): Promise<readonly OsdResult[]> => {
    const { search, sort } = this.query();
    return everything(async (part) => {
      const query = { ...part, search, sort, samples: 'false' };
      const { per_osd: rows, found: total } = await this.#api.get('round/ID', {
        ID: Number(this.id()),
        ...query,
      });
      return { rows, total };
    });
  };

  protected readonly history = computed(() =>
    withQuery('/history', { profile: this.round()?.profile ?? null }),
  );

  protected compare(id: number): string {
    return compareRoute(id, null);
  }

  // A rejection made before anybody awaits it is reported as unhandled by the host's zone.js.
  async #ask(signal: AbortSignal): Promise<Round> {
    const id = this.id();
    this.running(); // when it ends, its figures are asked for at once
    if (!/^\d{1,9}$/.test(id)) {
      throw new Refusal('not-found', `“${id}” is not the number of a round.`);
    }
    return await this.#api.get('round/ID', { ID: Number(id), ...this.query() }, signal);
  }

  #facts(round: Round | null): readonly Fact[] {
    if (!round) return [];
    if (round.load) return loadFacts(round, round.load);
    if (round.imported) return this.#reported(round);
    const { summary, step } = round;
    const plan = {
      waves: round.waves.length,
      repeats: round.repeats,
      block: size(step.block_size),
      total: size(step.total_bytes),
    };
    const osds = `${number(summary.osds_measured ?? null, 0)} / ${round.osds}`;
    const planned = [
      { name: 'Profile', text: round.profile },
      {
        name: 'Samples',
        text: fill(
          '{waves|wave|waves} × {repeats|repeat|repeats}, {block} blocks, {total} a sample',
          plan,
        ),
      },
    ];
    if (round.ended_at === null) return planned;
    return [
      ...planned,
      { name: 'OSDs', text: osds },
      { name: 'Took', text: duration(round.took_seconds) },
      { name: 'Median', text: speed(round) },
      { name: 'CV', text: percent(summary.median_cv_percent, 1) },
    ];
  }

  /** Several jobs have no figures together: whether they ran at once is not told. */
  #reported(round: Round): readonly Fact[] {
    const { imported, summary, kind } = round;
    const version = imported?.version ?? '';
    return [
      {
        name: 'Measured by',
        text: version.startsWith(kind) ? version : `${kind} ${version}`,
      },
      { name: 'Took', text: duration(round.took_seconds) },
      ...(summary.median_bytes_per_second === undefined
        ? []
        : [{ name: 'Throughput', text: speed(round) }]),
    ];
  }
}

function speed({ summary }: Round): string {
  return `${mib(summary.median_bytes_per_second)} MiB/s · ${number(summary.median_iops)} IOPS`;
}
