/** The sentences about advice, hardware and clients; see en.ts. */
export const enHardware = {
  'nav.doctor': 'Doctor',

  'command.copy': 'Copy',
  'command.copy.named': 'Copy {text}',
  'command.copied': 'Copied',

  'doctor.title': 'Doctor',
  'doctor.help':
    'What may be wrong with settings and hosts, and the command that mends it. Nothing is changed by itself.',
  'doctor.none': 'Nothing to advise: what can be known of settings and hosts is as it should be.',
  'doctor.evidence': 'Evidence and source',
  'doctor.osds': 'OSDs ({count})',
  'doctor.source': 'Known from',
} as const;
