/** What may differ between the clusters of two rounds. */
export const deEnvironment: Readonly<Record<string, string>> = {
  'OSD release': 'Version der OSDs',
  'OSDs measured': 'gemessene OSDs',
  'OSDs at once': 'OSDs gleichzeitig',
  flags: 'Flags',
  messenger: 'Messenger',
  'PGs of the pool': 'PGs des Pools',
  fill: 'Füllstand',
  'OSDs up': 'OSDs up',
  PGs: 'PGs',
  'client load': 'Last der Clients',
  none: 'keine',
};
