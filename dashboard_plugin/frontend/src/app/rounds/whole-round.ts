import { signal } from '@angular/core';
import { OsdResult, Round, Sample } from '../../generated/types';
import { Api } from '../core/api';
import { MOST } from '../core/everything';
import { idle } from '../core/idle';
import { Refusal, asRefusal } from '../core/refusal';
import { toldInIops } from '../core/slow';
import { inMib } from '../core/format';
import { WaveGatherer, WavePoint } from './waves';

/** So many OSDs are loaded unasked; the rest when the user wants them. */
const UNASKED = 2_000;

/** Gathers all OSDs of a round behind its first page, which is there already. */
export class WholeRound {
  readonly rows = signal<readonly OsdResult[]>([]);
  /** Those that the charts show: they are drawn when all that come are there, not for each page. */
  readonly drawn = signal<readonly OsdResult[]>([]);
  /** In IOPS or MiB/s, whichever the round is told in. */
  readonly waves = signal<readonly WavePoint[]>([]);
  /** In percent of each OSD's own median: so OSDs of all classes share an axis. */
  readonly drift = signal<readonly WavePoint[]>([]);
  readonly all = signal(0);
  readonly loading = signal(false);
  readonly refusal = signal<Refusal | null>(null);
  #round: Round | null = null;
  #waves: WaveGatherer | null = null;
  #drift: WaveGatherer | null = null;
  readonly #medians = new Map<string, number>();
  #running: AbortController | null = null;

  constructor(private readonly api: Api) {}

  /** A round's first page is there: take it, and load on. */
  begin(round: Round | null): void {
    this.end();
    this.#round = round;
    this.#medians.clear();
    this.#waves = new WaveGatherer(
      toldInIops(round?.step.block_size ?? 0)
        ? (sample) => sample.iops
        : (sample) => inMib(sample.bytes_per_second),
    );
    this.#drift = new WaveGatherer((sample) => this.#ofMedian(sample));
    this.rows.set([]);
    this.all.set(round?.osds ?? 0);
    if (round) this.#take(round);
    this.#plot();
    void this.more(UNASKED);
  }

  async more(upTo = Number.POSITIVE_INFINITY): Promise<void> {
    const round = this.#round;
    if (!round || this.loading() || round.ended_at === null) return;
    const mine = (this.#running = new AbortController());
    this.loading.set(true);
    this.refusal.set(null);
    try {
      await idle(); // the first page shows first
      await this.#load(round.id, Math.min(upTo, this.all()), mine.signal);
    } catch (error) {
      if (!mine.signal.aborted) this.refusal.set(asRefusal(error));
    } finally {
      if (this.#running === mine) this.loading.set(false);
    }
  }

  async #load(id: number, upTo: number, signal: AbortSignal): Promise<void> {
    while (this.rows().length < upTo) {
      const query = { offset: this.rows().length, limit: MOST };
      const page = await this.api.round(id, query, signal);
      if (page.per_osd.length === 0 || signal.aborted) break;
      this.#take(page);
    }
    if (!signal.aborted) this.#plot();
  }

  #take(page: Pick<Round, 'per_osd' | 'samples'>): void {
    for (const { osd, median_bytes_per_second: median } of page.per_osd) {
      if (median) this.#medians.set(`osd.${osd}`, median);
    }
    this.#waves?.add(page.samples);
    this.#drift?.add(page.samples);
    this.rows.update((rows) => [...rows, ...page.per_osd]);
  }

  #plot(): void {
    this.drawn.set(this.rows());
    this.waves.set(this.#waves?.points() ?? []);
    this.drift.set(this.#drift?.points() ?? []);
  }

  #ofMedian(sample: Sample): number | null {
    const median = this.#medians.get(sample.target);
    if (!median || sample.bytes_per_second === null) return null;
    // An axis would show the digits that division leaves: 100.00000000000001.
    return Math.round((10_000 * sample.bytes_per_second) / median) / 100;
  }

  end(): void {
    this.#running?.abort();
    this.#running = null;
    this.loading.set(false);
  }
}
