import { LaggyOsd, LaggyPool } from '../../generated/types';
import { number, share } from '../core/format';
import { Column, figure } from '../shared/data-table/column';

export function osdColumns(): readonly Column<LaggyOsd>[] {
  return [
    { key: 'osd', title: 'OSD', value: (row) => row.osd, sortable: true },
    { key: 'host', title: 'Host', value: (row) => row.host, sortable: true },
    {
      key: 'share',
      title: 'Share',
      help: 'How much of its own PGs’ time was laggy.',
      value: (row) => row.share,
      text: (row) => share(row.share),
      sortable: true,
      figure: true,
    },
    secondsColumn(),
  ];
}

export function poolColumns(): readonly Column<LaggyPool>[] {
  const count = (key: 'laggy' | 'wait', title: string): Column<LaggyPool> => ({
    key,
    title,
    value: (row) => row[key],
    sortable: true,
    figure: true,
  });
  return [
    { key: 'pool', title: 'Pool', value: (row) => row.pool, sortable: true },
    count('laggy', 'Laggy now'),
    count('wait', 'Waiting now'),
    secondsColumn(),
  ];
}

export function secondsColumn(): Column<{ laggy_pg_seconds: number | null }> {
  const whole = (value: number | null): string => number(value, 0);
  return figure(
    'laggy_pg_seconds',
    'PG seconds',
    whole,
    'Laggy PGs times the seconds each was laggy.',
  );
}
