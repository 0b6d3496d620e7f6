import { Schedule } from '../../generated/types';
import { fill } from '../shared/fill';

/** When it runs and what narrows that down: "every 1d, within 01:00-05:00, Europe/Berlin". */
export function whenText(schedule: Schedule): string {
  const { every, cron, window, timezone } = schedule;
  const zoned = window !== null || cron !== null;
  const parts = [
    every === null ? '' : fill('every {every}', { every }),
    cron === null ? '' : fill('cron {cron}', { cron }),
    window === null ? '' : fill('within {window}', { window }),
    zoned ? timezone : '',
  ];
  return parts.filter(Boolean).join(', ');
}

/** What it runs: "osd-iops, class=hdd". */
export function whatText({ profile, osds, missed }: Schedule): string {
  const parts = [profile, osds, missed === 'skip' ? 'missed runs are skipped' : null];
  return parts.filter(Boolean).join(', ');
}
