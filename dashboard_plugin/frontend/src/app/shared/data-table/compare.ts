import { Cell } from './export';

/** Ascending order of two values of one column: figures by size, text as people sort names. */
const names = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

export function compare(a: Cell | undefined, b: Cell | undefined): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return names.compare(String(a ?? ''), String(b ?? ''));
}
