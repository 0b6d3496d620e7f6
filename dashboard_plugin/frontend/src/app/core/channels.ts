/** Kinds of operations whose latency the module knows (model/frame.py), in the order of choices. */
export const CHANNELS = ['commit', 'read', 'queue', 'client_read', 'client_write'] as const;
export type Channel = (typeof CHANNELS)[number];
