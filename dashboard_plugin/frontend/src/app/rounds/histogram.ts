/** Values sorted into equal boxes between round bounds. */
export interface Histogram {
  readonly bins: readonly { readonly from: number; readonly to: number; readonly count: number }[];
  readonly low: number;
  readonly high: number;
  readonly median: number;
}

const MOST_BINS = 30;

/** Null without values. The width is 1, 2 or 5 times a power of ten. */
export function histogram(values: readonly number[]): Histogram | null {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  const [low, high] = [sorted[0], sorted.at(-1)];
  if (low === undefined || high === undefined) return null;
  const wanted = Math.min(MOST_BINS, Math.max(5, Math.ceil(Math.sqrt(sorted.length))));
  const width = roundWidth((high - low) / wanted || Math.abs(low) / 10 || 1);
  const first = Math.floor(low / width);
  const counts = new Array<number>(Math.floor(high / width) - first + 1).fill(0);
  for (const value of sorted) {
    const index = Math.min(counts.length - 1, Math.max(0, Math.floor(value / width) - first));
    counts[index] = (counts[index] ?? 0) + 1;
  }
  const bins = counts.map((count, index) => ({
    from: (first + index) * width,
    to: (first + index + 1) * width,
    count,
  }));
  return { bins, low, high, median: median(sorted) };
}

/** Of sorted values. */
export function median(sorted: readonly number[]): number {
  const middle = sorted.length >> 1;
  const [a, b] = [sorted[middle] ?? Number.NaN, sorted[middle - 1] ?? Number.NaN];
  return sorted.length % 2 ? a : (a + b) / 2;
}

function roundWidth(width: number): number {
  const power = 10 ** Math.floor(Math.log10(width));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= width) ?? 10;
  return step * power;
}
