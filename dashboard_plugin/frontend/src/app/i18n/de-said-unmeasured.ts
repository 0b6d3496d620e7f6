/** Why a sample, a repeat of clients or a schedule's times are missing (model/unmeasured.py). */
export const deSaidUnmeasured = {
  'clients-idle': 'in {seconds:.0f} s endete keine Operation',
  'clients-not-together': '{clients|Client|Clients} {clients#lief|liefen} nie zur selben Zeit',
  'clients-overran': 'Clients liefen noch {seconds:.0f} s zu lange',
  'clients-process-ended': 'der Prozess, der die Clients ausführt, endete zu früh',
  'clients-stalled': 'seit {seconds:.0f} s endete keine Operation: siehe „ceph health detail“',
  'cron-never': '--cron: „{text}“ kommt nie vor',
  'rados-failed': 'rados bench schlug fehl: {words}',
  'rados-unfinished': 'rados bench endete vor seinen Summen, nach Sekunde {second}: „{last}“',
  'rados-unknown': 'das gibt rados bench nicht aus: „{line}“',
  'repeat-unmeasured': 'sie wurde nicht gemessen',
  'sample-answered': 'osd.{osd} antwortete: {answer}',
  'sample-down': 'osd.{osd} ist down',
  'sample-failed': 'osd.{osd} schlug fehl: {fault}',
  'sample-not-asked': 'osd.{osd} wurde nicht noch einmal gefragt',
  'sample-not-storable': 'was osd.{osd} antwortete, lässt sich nicht speichern ({error})',
  'sample-out-of-reach':
    'osd.{osd} ist von keiner Placement Group des Pools perf_bench Primary, daher wird nichts gelesen',
  'sample-short': 'zu kurz: {took:.0f} ms, mindestens 100 ms sind nötig',
  'sample-silent': 'osd.{osd} antwortete nicht innerhalb von {seconds:.0f} s',
  'sample-went-down': 'osd.{osd} ging down',
  'schedule-no-times': 'seine Zeiten lassen sich nicht berechnen: {error}',
  'schedule-unreadable':
    'Zeitplan {name} lässt sich nicht lesen ({why}): „ceph perf-bench schedule rm {name}“ entfernt ihn',
  'search-peak': 'keine kleinere Last erreicht {share:.0f} % ihres Durchsatzes',
  'search-share':
    '{share:.0f} % des höchsten Durchsatzes bei {latency:.0f} % seiner Latenz, mit {operations|Operation|Operationen} gleichzeitig statt {peak}',
  'worker-ended': 'Worker {worker} auf {host} wurde vor seinen Clients beendet',
  'worker-failed': 'Worker {worker}: {why}',
  'worker-late':
    'Worker {workers} kommt zu spät: er nahm den Auftrag nicht innerhalb von {seconds:.0f} s an',
  'worker-lost':
    'Worker {worker} auf {host} ging verloren: seit {seconds:.0f} s war nichts von ihm zu hören',
  'worker-mgr-silent': 'seit {seconds:.0f} s war nichts vom Manager zu hören',
  'zone-unknown': '„{name}“ ist keine Zeitzone: zum Beispiel UTC oder Europe/Berlin',
  'zones-missing':
    'dem Host des aktiven Managers fehlen die Daten der Zeitzonen, daher ist „{name}“ dort nicht bekannt: das Paket „tzdata“ installieren oder UTC nehmen',
} as const;
