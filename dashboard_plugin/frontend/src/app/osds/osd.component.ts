import { CV, OF_PEERS, ROBUST_Z } from '../rounds/result-column';
import { Column, figure, minor, plain } from '../shared/data-table/column';
import { Component, computed, inject, input, linkedSignal } from '@angular/core';
import { LastBench, OsdDetail, Relieved } from '../../generated/types';
import { ChartComponent } from '../charts/chart.component';
import { palette } from '../charts/palette';
import { Api } from '../core/api';
import { mib, number } from '../core/format';
import { HostSettings } from '../core/host-settings';
import { live } from '../core/live';
import { Navigator } from '../core/navigator';
import { Pulse } from '../core/pulse';
import { Refusal } from '../core/refusal';
import { FindingsTableComponent } from '../findings/findings-table.component';
import { smartText } from '../hardware/errors';
import { PeersComponent } from '../shared/peers.component';
import { Fact } from '../shared/facts.component';
import { WatchStateComponent } from '../shared/watch-state.component';
import { historyOption, historySeries } from './history-chart';
import { SeriesComponent } from './series.component';
import { watchFacts } from './watch-facts';
import { WhyComponent } from './why.component';
import { StockLinksComponent } from '../shared/stock-links.component';
import { PIECES } from '../shared/pieces';

const POLL_MS = 60_000;

/** One OSD: where it stands, what the watch sees and thinks of it, and how its benches went. */
@Component({
  selector: 'pb-osd',
  imports: [
    PIECES,
    ChartComponent,
    FindingsTableComponent,
    PeersComponent,
    SeriesComponent,
    WatchStateComponent,
    WhyComponent,
    StockLinksComponent,
  ],
  templateUrl: './osd.component.html',
})
export class OsdComponent {
  readonly id = input.required<string>();
  readonly #api = inject(Api);
  readonly #pulse = inject(Pulse);
  readonly #navigator = inject(Navigator);
  readonly #host = inject(HostSettings);
  protected readonly live = live((signal) => this.#ask(signal), {
    every: () => POLL_MS,
    remember: () => `osd ${this.id()}`,
  });
  protected readonly osd = this.live.value;
  protected readonly historyColumns: readonly Column<LastBench>[] = [
    plain('round', 'Round'),
    plain('at', 'Started'),
    plain('profile', 'Profile'),
    plain('verdict', 'Verdict'),
    figure('bytes_per_second', 'MiB/s', mib),
    figure('iops', 'IOPS', number),
    minor(CV),
    OF_PEERS,
    minor(ROBUST_Z),
  ];
  protected readonly series = computed(() => historySeries(this.osd()?.history ?? []));
  /** The profile whose history is drawn: that of the newest bench, until another is chosen. */
  // Compared by its value: each poll brings the OSD anew, and would undo what was chosen.
  readonly #newestProfile = computed(() => this.osd()?.last_bench?.profile ?? '');
  protected readonly drawn = linkedSignal(() => this.#newestProfile());
  readonly #drawn = computed(
    () => this.series().find(({ profile }) => profile === this.drawn()) ?? this.series()[0],
  );
  protected readonly chart = computed(() => {
    const series = this.#drawn();
    if (!series) return null;
    return {
      option: historyOption(series, this.#pulse.limits(), palette(this.#host.dark())),
      label: `Throughput of osd.${this.id()} by round: ${this.said().join(' ')}`,
    };
  });
  /** The first is the verdict, the others are its ground. */
  protected readonly said = computed(() => this.osd()?.sentences ?? []);
  protected readonly seen = computed(() => {
    const osd = this.osd();
    return osd ? watchFacts(osd) : [];
  });
  protected readonly facts = computed(() => this.#placement(this.osd()));
  protected readonly encoded = encodeURIComponent;
  protected readonly roundOf = (row: LastBench): number => row.round;

  /** What the OSD map has, which is what counts; the relief is only our record. */
  protected now({ what }: Relieved): string {
    const value = this.osd()?.[what] ?? null;
    return value === null ? 'no data' : number(value, 2);
  }

  protected open({ index }: { index: number }): void {
    const point = this.#drawn()?.points[index];
    if (point) this.#navigator.go(`/rounds/${point.round}`);
  }

  // A rejection made before anybody awaits it is reported as unhandled by the host's zone.js.
  async #ask(signal: AbortSignal): Promise<OsdDetail> {
    const id = this.id();
    this.#pulse.rounds();
    if (!/^\d{1,9}$/.test(id)) {
      throw new Refusal('not-found', `“${id}” is not the number of an OSD.`);
    }
    return await this.#api.get('osd/ID', { ID: Number(id) }, signal);
  }

  #placement(osd: OsdDetail | null): readonly Fact[] {
    if (!osd) return [];
    const state = [osd.up ? 'up' : 'down', osd.in ? 'in' : 'out'].join(', ');
    const buckets = Object.entries(osd.location)
      .filter(([kind]) => kind !== 'host' && kind !== 'root')
      .map(([name, text]) => ({ name, text }));
    return [
      { name: 'State', text: state },
      { name: 'Host', text: osd.host },
      ...buckets,
      { name: 'Class', text: osd.class ?? '–' },
      { name: 'Device', text: osd.device ?? '–' },
      { name: 'Model', text: osd.model ?? '–' },
      { name: 'Serial number', text: osd.serial ?? '–' },
      { name: 'SMART', text: smartText(osd.smart), help: 'As its host told it.' },
    ];
  }
}
