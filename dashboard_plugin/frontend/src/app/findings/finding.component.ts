import { Component, computed, inject, input, linkedSignal } from '@angular/core';
import { FindingDetail } from '../../generated/types';
import { Api } from '../core/api';
import { Attempt } from '../core/attempt';
import { HostSettings } from '../core/host-settings';
import { live } from '../core/live';
import { Refusal } from '../core/refusal';
import { evidenceOf, Shown } from '../shared/evidence';
import { EvidenceComponent } from '../shared/evidence.component';
import { AckDialogComponent } from './ack-dialog.component';
import { IncidentComponent } from './incident.component';
import { FindingKinds } from './kinds';
import { MuteDialogComponent } from './mute-dialog.component';
import { NextStepsComponent } from './next-steps.component';
import { StockLinksComponent } from '../shared/stock-links.component';
import { PIECES } from '../shared/pieces';

const POLL_MS = 15_000;
/** The pages that show the causes of a kind. */
const PAGE_OF: Readonly<Record<string, Way>> = {
  PERF_BENCH_LAGGY_PGS: { route: '/laggy', page: 'Laggy PGs' },
  PERF_BENCH_MULTIPATH_DEGRADED: { route: '/hardware', page: 'Hardware' },
  PERF_BENCH_CONFIG_RISK: { route: '/wrong?sort=advice', page: 'Advice' },
  PERF_BENCH_CRC_HOTSPOT: { route: '/hardware', page: 'Hardware' },
  PERF_BENCH_LINK_ERRORS: { route: '/hardware', page: 'Hardware' },
  PERF_BENCH_MEDIA_ERRORS: { route: '/hardware', page: 'Hardware' },
};

interface Way {
  readonly route: string;
  readonly page: string;
}

/** One finding of any kind: its sentence, its life, what to do, and the evidence. */
@Component({
  selector: 'pb-finding',
  imports: [
    PIECES,
    AckDialogComponent,
    EvidenceComponent,
    IncidentComponent,
    MuteDialogComponent,
    NextStepsComponent,
    StockLinksComponent,
  ],
  templateUrl: './finding.component.html',
})
export class FindingComponent {
  readonly id = input.required<string>();
  readonly #api = inject(Api);
  protected readonly host = inject(HostSettings);
  /** Another finding begins anew: what was asked or refused was of the one before. */
  protected readonly asked = linkedSignal({ source: this.id, computation: () => false });
  protected readonly noting = linkedSignal({ source: this.id, computation: () => false });
  protected readonly removal = linkedSignal({
    source: this.id,
    computation: () => new Attempt(),
  });
  protected readonly live = live((signal) => this.#ask(signal), {
    every: () => POLL_MS,
    remember: () => `finding ${this.id()}`,
  });
  readonly #kinds = inject(FindingKinds);
  protected readonly kind = computed(() => this.#kinds.of(this.live.value()?.code ?? ''));
  protected readonly evidence = computed((): Shown => {
    const evidence = this.live.value()?.evidence ?? {};
    return { as: 'facts', facts: evidenceOf(evidence) };
  });
  /** The command that the module puts first, with the words of its step. */
  protected readonly first = computed(() => {
    const finding = this.live.value();
    if (!finding?.command) return null;
    const step = finding.next_steps?.check.find(({ command }) => command === finding.command);
    return { text: step?.text ?? '', command: finding.command };
  });
  protected readonly way = computed(() => PAGE_OF[this.live.value()?.code ?? ''] ?? null);

  protected readonly unacknowledge = async (): Promise<void> => {
    await this.#api.post('finding/ID/ack', { ID: this.id(), remove: true });
    this.live.refresh();
  };

  async #ask(signal: AbortSignal): Promise<FindingDetail> {
    const id = this.id();
    if (!/^\d{1,9}$/.test(id))
      throw new Refusal('not-found', `“${id}” is not the number of a finding.`);
    return await this.#api.get('finding/ID', { ID: Number(id) }, signal);
  }
}
