import { OsdDetail } from '../../generated/types';
import { milliseconds, number } from '../core/format';
import { Fact } from '../shared/facts.component';

/** What the watch sees of an OSD, in figures. */
export function watchFacts(osd: OsdDetail): readonly Fact[] {
  const ms = (value: number | null): string =>
    value === null ? 'no data' : `${milliseconds(value)} ms`;
  const latencies = [
    {
      name: 'commit',
      text: ms(osd.commit_ms),
      help: 'A transaction in BlueStore until it is committed, those for other primaries included.',
    },
    {
      name: 'client read',
      text: ms(osd.read_ms),
      help: 'A client’s read from begin to end. Not used for verdicts.',
    },
    {
      name: 'client write',
      text: ms(osd.write_ms),
      help: 'A client’s write with its replicas. Not used for verdicts, because a slow replica shows here too.',
    },
    {
      name: 'queue',
      text: ms(osd.queue_ms),
      help: 'The time an operation waits until the OSD takes it up.',
    },
  ];
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
