/** Kinds of operations whose latency the module knows (model/frame.py), in the order of choices. */
export const CHANNELS = ['commit', 'read', 'queue', 'client_read', 'client_write'] as const;
export type Channel = (typeof CHANNELS)[number];

export const CHANNEL_NAMES: Readonly<Record<Channel, string>> = {
  commit: 'commit',
  read: 'read',
  queue: 'queue',
  client_read: 'client read',
  client_write: 'client write',
};

export const CHANNEL_HELP: Readonly<Record<Channel, string>> = {
  commit: 'A transaction in BlueStore until it is committed, those for other primaries included.',
  read: 'A read in BlueStore.',
  queue: 'The time an operation waits until the OSD takes it up.',
  client_read: 'A client’s read from begin to end. Not used for verdicts.',
  client_write:
    'A client’s write with its replicas. Not used for verdicts, because a slow replica shows here too.',
};

/** A channel as it is read, also one that is not known here. */
export function channelText(name: string): string {
  return CHANNELS.includes(name as Channel) ? CHANNEL_NAMES[name as Channel] : name;
}
