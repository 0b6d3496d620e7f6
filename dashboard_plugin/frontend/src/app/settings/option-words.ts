import { ModuleOption } from '../../generated/types';
import { short } from '../core/format';

/** A value as it is read: "yes", "5", "(empty)". */
export function optionText(value: ModuleOption['value'], { type }: ModuleOption): string {
  if (type === 'bool') return value ? 'yes' : 'no';
  if (typeof value === 'number') return short(value);
  return String(value) || '(empty)';
}

/** What the option is for. Those of health checks differ by the name of the check only. */
export function helpOf({ name, group, help }: ModuleOption): string {
  const code = name.replace(/^warn_/, 'PERF_BENCH_').toUpperCase();
  return group === 'health' ? `Raise the health check ${code}.` : help;
}
