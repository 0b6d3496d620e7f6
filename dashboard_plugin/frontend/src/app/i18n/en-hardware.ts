/** The sentences about advice, hardware and clients; see en.ts. */
export const enHardware = {
  'nav.doctor': 'Doctor',

  'nav.hardware': 'Hardware',

  'command.copy': 'Copy',
  'command.copy.named': 'Copy {text}',
  'command.copied': 'Copied',

  'doctor.title': 'Doctor',
  'doctor.advice': 'Advice',
  'doctor.help':
    'What may be wrong with settings and hosts, and the command that mends it. Nothing is changed by itself.',
  'doctor.none': 'Nothing to advise: what can be known of settings and hosts is as it should be.',
  'doctor.evidence': 'Evidence and source',
  'doctor.osds': 'OSDs ({count})',
  'doctor.source': 'Known from',

  'enclosures.title': 'Enclosures',
  'enclosures.all': 'All enclosures',
  'enclosures.down': 'Down',
  'enclosures.none': 'No enclosure is known: no host has told of one.',
  'tell.push': 'On each host, or by the systemd timer that comes with the tool:',
  'tell.import': 'Or from a file that was made on the host:',

  'enclosure.title': 'Enclosure {id}',
  'enclosure.id': 'ID',
  'enclosure.serial': 'Serial number',
  'enclosure.seen-by': 'Seen by',
  'enclosure.paths.of': '{host} (paths: {count})',
  'enclosure.missing-on': 'Seen no more by',
  'enclosure.osds': '{osds}, of which down: {down}',
  'enclosure.slots': 'Slots',
  'enclosure.slots.of': 'Slots of enclosure {id}',
  'enclosure.no-slots':
    'Only its OSDs are known, by the CRUSH map or their devices; facts of its hosts tell in which slot each stands.',
  'enclosure.slot': 'Slot',
  'enclosure.slot.is': 'slot {slot}',
  'enclosure.slot.about': 'slot {slot}: {said}',
  'enclosure.device.is': 'device {device}',
  'enclosure.empty': 'empty',
  'enclosure.fault': 'fault',
  'enclosure.osd-state': 'OSD is',
  'enclosure.slot-state': 'Slot is',
  'enclosure.fault-light': 'Fault',
  'enclosure.as-table': 'As a table',
  'enclosure.parts': 'Other parts',

  'hosts.title': 'Hosts',
  'hosts.help': 'What hosts told of themselves: facts older than two days accuse nobody.',
  'hosts.collected': 'Told',
  'hosts.age': 'Age',
  'hosts.disks': 'Disks',
  'hosts.multipath': 'Multipath devices',
  'hosts.never': 'never',
  'hosts.stale': 'old',

  'paths.title': 'Paths',
  'paths.none': 'No disk of several paths is known: no host has told of one.',
  'paths.active': 'Active',
  'paths.active.help':
    'Paths that carry data, of those there should be: the most that were seen, or what the host was told.',
  'paths.active.of': '{active} of {expected}',
  'paths.drops': 'Losses',
  'paths.drops.help': 'How often paths were lost within a day; from 3 on they flap.',
  'paths.paths': 'Paths',
  'paths.state.help':
    'bare: the OSD stands on one path of a disk that has several, past multipath.',
  'paths.wwid': 'WWID',

  'mclock.title': 'mClock',
  'mclock.help':
    'mClock shares out the IOPS that it takes an OSD to be capable of. Where that is far from the truth, clients or recovery starve. Measured are random writes of 4 KiB (rounds of osd-iops).',
  'mclock.configured': 'Configured',
  'mclock.measured': 'Measured',
  'mclock.plausible': 'Plausible',
  'mclock.plausible.help': 'What Ceph itself takes for plausible of such a device.',
  'mclock.proposed': 'Proposed',
  'mclock.source': 'Set for',
  'mclock.source.help': 'Whether the value is of this OSD alone, of several, or the default.',
  'mclock.source.osd': 'this OSD',
  'mclock.source.cluster': 'several',
  'mclock.source.default': 'default',
  'mclock.none': 'No OSD is up.',
  'mclock.unused': 'No OSD uses mClock here: osd_op_queue is another scheduler on this release.',
  'mclock.nothing':
    'Nothing to propose: what is configured is plausible and fits what was measured.',
  'mclock.some':
    'OSDs with a proposal: {count}. What is configured there is far from what was measured, or implausible.',
  'mclock.left': '{left} are left: do it again.',
  'mclock.apply': 'Set what was measured…',
  'mclock.apply.title': 'Set what was measured?',
  'mclock.apply.text':
    'The capacity of up to 200 OSDs is set to what is proposed. What was is kept, so that it can be put back.',
  'mclock.apply.do': 'Set it',
  'mclock.apply.done': 'Set; OSDs changed: {count}.',
  'mclock.restore': 'Put back…',
  'mclock.restore.title': 'Put back what was before?',
  'mclock.restore.text':
    'Capacities that were set here become what they were before. What somebody has set since stays.',
  'mclock.restore.do': 'Put it back',
  'mclock.restore.done': 'Put back; OSDs changed: {count}.',

  'finding.why.enclosure':
    'Something that OSDs have in common in this enclosure is broken or about to break: power, a cable, an expander, or a slot. The enclosure’s page shows it slot by slot.',
  'finding.why.paths':
    'A disk is reached over fewer paths than it was. It works on, and stands still when the last path goes: see to cables, the controller, and what multipathd says.',
  'finding.why.config':
    'A setting of the cluster or a host puts it at risk. The doctor says why and what to type.',
  'finding.enclosure': 'Show the enclosure',
  'finding.paths': 'All paths',
  'finding.doctor': 'Ask the doctor',

  'state-word.far': 'far from measured',
  'state-word.unlikely': 'measured is implausible',
  'state-word.unmeasured': 'not measured',
  'state-word.ok': 'ok',
  'state-word.no-data': 'no data',
  'state-word.out': 'out',
  'state-word.down': 'down',
  'state-word.slow': 'slow',
  'state-word.suspect': 'suspect',
  'state-word.degraded': 'degraded',
  'state-word.fault': 'fault',
} as const;
