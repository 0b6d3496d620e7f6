import { Schedule } from '../../generated/types';
import { Translate } from '../i18n/i18n';

/** When it runs and what narrows that down: "every 1d, within 01:00-05:00, Europe/Berlin". */
export function whenText(schedule: Schedule, t: Translate): string {
  const { every, cron, window, timezone } = schedule;
  const zoned = window !== null || cron !== null;
  const parts = [
    every === null ? '' : t('schedules.when.every', { every }),
    cron === null ? '' : t('schedules.when.cron', { cron }),
    window === null ? '' : t('schedules.when.window', { window }),
    zoned ? timezone : '',
  ];
  return parts.filter(Boolean).join(', ');
}

/** What it runs: "osd-iops, class=hdd". */
export function whatText({ profile, osds, missed }: Schedule, t: Translate): string {
  const parts = [profile, osds, missed === 'skip' ? t('schedules.skip') : null];
  return parts.filter(Boolean).join(', ');
}
