import { OsdChange } from '../../generated/types';
import { chance, change } from '../core/format';
import { Column } from '../shared/data-table/column';
import { TEXTS } from '../shared/words';

/** The columns of OSDs in two rounds; in the back end's order, which is worst first. */
export function changeColumns(): readonly Column<OsdChange>[] {
  const percent = (
    key: string,
    title: string,
    value: (row: OsdChange) => number | null,
  ): Column<OsdChange> => ({ key, title, value, text: (row) => change(value(row)), figure: true });
  return [
    { key: 'osd', title: 'OSD', value: (row) => row.osd },
    { key: 'host', title: 'Host', value: (row) => row.host },
    {
      key: 'verdict',
      title: 'Change',
      value: (row) => row.verdict,
      text: (row) => TEXTS[`word.${row.verdict}`],
    },
    percent('change_percent', 'Change %', (row) => row.change_percent),
    percent('low_percent', 'From %', (row) => row.interval_percent?.[0] ?? null),
    percent('high_percent', 'To %', (row) => row.interval_percent?.[1] ?? null),
    {
      key: 'p_value',
      title: 'p',
      help: 'How likely chance alone would show such a change; for OSDs corrected for their number (Holm).',
      value: (row) => row.p_value,
      text: (row) => chance(row.p_value),
      figure: true,
    },
  ];
}
