import { Schedule } from '../../generated/types';

/** When it runs and what narrows that down: "every 1d, within 01:00-05:00, Europe/Berlin". */
export function whenText(schedule: Schedule): string {
  const { every, cron, window, timezone } = schedule;
  const zoned = window !== null || cron !== null;
  const parts = [
    every === null ? '' : `every ${every}`,
    cron === null ? '' : `cron ${cron}`,
    window === null ? '' : `within ${window}`,
    zoned ? timezone : '',
  ];
  return parts.filter(Boolean).join(', ');
}

/** What it runs: "osd-iops, class=hdd". */
export function whatText({ profile, osds, missed }: Schedule): string {
  const parts = [profile, osds, missed === 'skip' ? 'missed runs are skipped' : null];
  return parts.filter(Boolean).join(', ');
}
