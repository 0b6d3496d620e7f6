import { OsdDetail } from '../../generated/types';
import { CHANNEL_HELP, CHANNEL_NAMES } from '../core/channels';
import { milliseconds, number } from '../core/format';
import { Fact } from '../shared/facts.component';

const LATENCIES = [
  ['commit', 'commit_ms'],
  ['client_read', 'read_ms'],
  ['client_write', 'write_ms'],
  ['queue', 'queue_ms'],
] as const;

/** What the watch sees of an OSD, in figures. */
export function watchFacts(osd: OsdDetail): readonly Fact[] {
  const latencies = LATENCIES.map(([channel, key]) => ({
    name: CHANNEL_NAMES[channel],
    text: osd[key] === null ? 'no data' : `${milliseconds(osd[key])} ms`,
    help: CHANNEL_HELP[channel],
  }));
  if (osd.ratio === null) return latencies;
  return [
    {
      name: 'Ratio',
      text: number(osd.ratio, 2),
      help: 'Its latency divided by that of its peers: 1 is the same, 2 is twice as slow.',
    },
    {
      name: 'Robust z',
      text: number(osd.robust_z),
      help: 'How many robust standard deviations it is from its peers; positive is slower.',
    },
    ...latencies,
  ];
}
