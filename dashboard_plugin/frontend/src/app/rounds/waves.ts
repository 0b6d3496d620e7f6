import { Sample } from '../../generated/types';
import { median } from './histogram';

/** One wave of one repeat: when it began, and what its OSDs reached. */
export interface WavePoint {
  readonly at: number;
  readonly repeat: number;
  readonly wave: number;
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

/** What is drawn of a sample; null when it has no such figure. */
export type Figure = (sample: Sample) => number | null;

/** Gathers samples, page after page, without keeping them. */
export class WaveGatherer {
  readonly #waves = new Map<
    string,
    { at: number; repeat: number; wave: number; values: number[] }
  >();

  constructor(private readonly figure: Figure) {}

  add(samples: readonly Sample[]): void {
    for (const sample of samples) {
      const value = this.figure(sample);
      const at = Date.parse(sample.started_at ?? '');
      if (value === null || Number.isNaN(at)) continue;
      const key = `${sample.repeat}/${sample.wave}`;
      const { repeat, wave } = sample;
      const entry = this.#waves.get(key) ?? { at, repeat, wave, values: [] };
      entry.at = Math.min(entry.at, at);
      entry.values.push(value);
      this.#waves.set(key, entry);
    }
  }

  /** In the order of time. */
  points(): readonly WavePoint[] {
    return [...this.#waves.values()]
      .map(({ values, ...rest }) => {
        const sorted = [...values].sort((a, b) => a - b);
        const [low = Number.NaN, high = Number.NaN] = [sorted[0], sorted.at(-1)];
        return { ...rest, low, high, median: median(sorted) };
      })
      .sort((a, b) => a.at - b.at);
  }
}
