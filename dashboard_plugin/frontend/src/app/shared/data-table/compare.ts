import { byName } from '../../core/format';
import { Cell } from './export';

/** Ascending order of two values of one column: figures by size, text as people sort names. */
export function compare(a: Cell, b: Cell): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return byName(String(a ?? ''), String(b ?? ''));
}
