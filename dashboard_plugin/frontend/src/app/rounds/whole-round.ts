import { signal } from '@angular/core';
import { OsdResult, Round, Sample } from '../../generated/types';
import { Api } from '../core/api';
import { MOST } from '../core/everything';
import { Refusal, asRefusal } from '../core/refusal';
import { WaveGatherer, WavePoint } from './waves';

/** So many OSDs are loaded unasked; the rest when the user wants them. */
const UNASKED = 2_000;

/** Gathers all OSDs of a round behind its first page, which is there already. */
export class WholeRound {
  readonly rows = signal<readonly OsdResult[]>([]);
  readonly waves = signal<readonly WavePoint[]>([]);
  readonly all = signal(0);
  readonly loading = signal(false);
  readonly refusal = signal<Refusal | null>(null);
  #round: Round | null = null;
  #gatherer: WaveGatherer | null = null;
  #running: AbortController | null = null;

  constructor(
    private readonly api: Api,
    private readonly figure: (round: Round) => (sample: Sample) => number | null,
  ) {}

  /** A round's first page is there: take it, and load on. */
  begin(round: Round | null): void {
    this.end();
    this.#round = round;
    this.#gatherer = round && new WaveGatherer(this.figure(round));
    this.#gatherer?.add(round?.samples ?? []);
    this.rows.set(round?.per_osd ?? []);
    this.all.set(round?.osds ?? 0);
    this.waves.set(this.#gatherer?.points() ?? []);
    void this.more(UNASKED);
  }

  async more(upTo = Number.POSITIVE_INFINITY): Promise<void> {
    const round = this.#round;
    if (!round || this.loading() || round.ended_at === null) return;
    const mine = (this.#running = new AbortController());
    this.loading.set(true);
    this.refusal.set(null);
    try {
      while (this.rows().length < Math.min(upTo, this.all())) {
        const query = { offset: this.rows().length, limit: MOST };
        const page = await this.api.round(round.id, query, mine.signal);
        if (page.per_osd.length === 0 || mine.signal.aborted) break;
        this.#gatherer?.add(page.samples);
        this.rows.update((rows) => [...rows, ...page.per_osd]);
      }
      if (!mine.signal.aborted) this.waves.set(this.#gatherer?.points() ?? []);
    } catch (error) {
      if (!mine.signal.aborted) this.refusal.set(asRefusal(error));
    } finally {
      if (this.#running === mine) this.loading.set(false);
    }
  }

  end(): void {
    this.#running?.abort();
    this.#running = null;
    this.loading.set(false);
  }
}
