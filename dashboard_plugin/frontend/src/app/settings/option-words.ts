import { ModuleOption } from '../../generated/types';
import { short } from '../core/format';
import { Translate } from '../i18n/i18n';

/** A value as it is read: "yes", "5", "(empty)". */
export function optionText(
  value: ModuleOption['value'],
  { type }: ModuleOption,
  t: Translate,
): string {
  if (type === 'bool') return t(value ? 'common.yes' : 'common.no');
  if (typeof value === 'number') return short(value);
  return String(value) || t('option.empty');
}

/** What the option is for. Those of health checks differ by the name of the check only. */
export function helpOf({ name, group, help }: ModuleOption, t: Translate): string {
  const code = name.replace(/^warn_/, 'PERF_BENCH_').toUpperCase();
  return group === 'health' ? t('option.warn', { code }) : help;
}
