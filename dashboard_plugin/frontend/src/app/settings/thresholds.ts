import { Threshold } from '../../generated/types';

/** Thresholds of the detector by what they are about, each as the end of "name = value". */
const WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Whom an OSD is compared with': {
    min_ops: 'operations a minute; with fewer an OSD cannot be judged',
    queue_floor_ms: 'ms that are added to each wait in the queue',
    group_members:
      'OSDs of its kind; where a host, enclosure or rack has so many, with these alone',
    slope_max: 'the highest power of the load by which latency is expected to grow',
  },
  'Slow for minutes': {
    acute_ratio: 'times its peers, in 3 of 5 minutes',
    acute_z: 'robust standard deviations, in 3 of 5 or 8 of 10 minutes',
    weak_ratio: 'times its peers, in 8 of 10 minutes',
    extreme_ratio: 'times its peers, in 8 of 10 minutes, with fewer deviations',
    extreme_z: 'robust standard deviations, where the ratio is that large',
    cold_ratio: 'times its peers, in the first hour',
  },
  'Slow for hours': {
    sustained_ratio: 'times its peers, in 3 of 4 quarters of an hour',
    sustained_z: 'robust standard deviations, in 3 of 4 quarters of an hour',
    hours_ratio: 'times its peers, in the median of some hours',
    noise_scales: 'standard deviations of a quarter of an hour; less is noise',
    small_ratio: 'times its own past, where an OSD has fewer than five peers',
  },
  'Slow in bursts': {
    burst_ratio: 'times its peers for 15 s are a burst',
    burst_noise: 'standard deviations of a minute, for a burst',
    burst_z: 'standard deviations above the number of bursts of its peers',
    burst_episodes: 'bursts in 24 h; with fewer no OSD is named',
  },
  'Hosts, enclosures and racks': {
    unit_ratio: 'times their own past',
    unit_cross_ratio: 'times all others, where they were slow before the watch began',
  },
  'OSDs that recover, are new, restarted or beside a bench': {
    excluded_ratio: 'times their peers',
    excluded_z: 'robust standard deviations',
    suspend_share: 'part of its kind; where more are so, all are judged by minutes alone',
  },
  'Many OSDs at once': {
    common_chance: 'chance at which slow OSDs of several hosts have a cause in common',
    cap_share: 'part of its kind; more slow OSDs than this are told together',
  },
  'What cannot be seen': {
    idle_hours: 'hours without data, after which the finding of a slow OSD closes',
    minute_floor: 'the least standard deviation of a minute (in ln)',
    segment_floor: 'the least standard deviation of a quarter of an hour (in ln)',
  },
};

export interface Told extends Threshold {
  readonly words: string;
}

/** Thresholds in words, by what they are about; those of another version come last. */
export function told(all: readonly Threshold[]): readonly (readonly [string, readonly Told[]])[] {
  const known = new Set(Object.values(WORDS).flatMap((group) => Object.keys(group)));
  const others = all.filter(({ name }) => !known.has(name)).map(({ name }) => [name, ''] as const);
  return [...Object.entries(WORDS), ['Others', Object.fromEntries(others)] as const]
    .map(([title, group]) => {
      const rows = all.filter(({ name }) => name in group);
      return [title, rows.map((row) => ({ ...row, words: group[row.name] ?? '' }))] as const;
    })
    .filter(([, rows]) => rows.length);
}
