/** What a schedule is made of, as typed; empty is left to the back end. */
export interface ScheduleRequest {
  readonly name: string;
  readonly profile: string;
  readonly every: string;
  readonly cron: string;
  readonly window: string;
  readonly timezone: string;
  readonly osds: string;
  readonly missed: string;
}

/** What stands in the dialog: a request, and which of its two ways of telling the time counts. */
export interface ScheduleFields extends ScheduleRequest {
  readonly by: 'every' | 'cron';
}

/** Windows and cron times are meant by the user's own clock, which the field shows. */
export function emptyFields(timezone: string): ScheduleFields {
  return {
    by: 'every',
    name: '',
    profile: '',
    every: '1d',
    cron: '0 3 * * 6',
    window: '',
    timezone,
    osds: '',
    missed: 'once',
  };
}

/** The fields as a request. */
export function scheduleRequest({ by, ...fields }: ScheduleFields): ScheduleRequest {
  const trimmed = Object.fromEntries(
    Object.entries(fields).map(([key, text]) => [key, text.trim()]),
  ) as unknown as ScheduleRequest;
  return {
    ...trimmed,
    every: by === 'every' ? trimmed.every : '',
    cron: by === 'cron' ? trimmed.cron : '',
  };
}
