/** What options of the module are for, by its own words (ceph/options.py). */
export const deOptions: Readonly<Record<string, string>> = {
  'seconds after which a bench without an answer is given up':
    'Sekunden, nach denen ein Bench ohne Antwort aufgegeben wird',
  'maximum number of OSDs that run a bench at the same time, one on each host':
    'so viele OSDs messen höchstens zugleich, einer je Host',
  'health checks that do not prevent a round, separated by blanks; * stands for the rest of a name':
    'Health Checks, die einen Lauf nicht verhindern, durch Leerzeichen getrennt; * steht für den Rest eines Namens',
  'percentage of the throughput in the last rounds that clients may use when a round starts':
    'so viel Prozent des Durchsatzes der letzten Läufe dürfen Clients nutzen, wenn ein Lauf beginnt',
  'hours within which rounds may start, as 01:00-05:00; empty for any':
    'Zeiten, in denen Läufe beginnen dürfen, wie 01:00-05:00; leer: jederzeit',
  'time zone of admission_window, as Europe/Berlin':
    'Zeitzone von admission_window, wie Europe/Berlin',
  'GiB that rounds may write to each OSD in 24 hours; 0 for 3 % of its device, but at least 64':
    'GiB, die Läufe in 24 Stunden auf jedes OSD schreiben dürfen; 0: 3 % seines Geräts, mindestens 64',
  'seconds; an OSD that goes up or down five times within this time prevents rounds':
    'Sekunden; ein OSD, das in dieser Zeit fünfmal kommt oder geht, verhindert Läufe',
  'benches of a round that may get a new OSD map while they run; the guard ends a round at 2.5 times as many; 0: any':
    'so viele Messungen eines Laufs dürfen dabei eine neue OSD-Map bekommen; bei 2,5-mal so vielen wird er beendet; 0: beliebig',
  'end a round that harms the cluster, as by slow operations or OSDs going down':
    'einen Lauf beenden, der dem Cluster schadet, etwa durch langsame Operationen oder ausfallende OSDs',
  'PGs that may become laggy during a round':
    'so viele PGs dürfen während eines Laufs laggy werden',
  'operations that may become slow during a round':
    'so viele Operationen dürfen während eines Laufs langsam werden',
  'OSDs that may go down during a round': 'so viele OSDs dürfen während eines Laufs ausfallen',
  "factor by which clients' operations may slow down during a round; 0: any":
    'um diesen Faktor dürfen Operationen von Clients während eines Laufs langsamer werden; 0: beliebig',
  'stop scrubs, the balancer and the autoscaler while a round runs, and put their settings back after it':
    'Scrubs, Balancer und Autoscaler während eines Laufs anhalten und ihre Einstellungen danach zurückstellen',
  'watch the latencies of OSDs and the states of placement groups':
    'die Latenzen der OSDs und die Zustände der Placement Groups beobachten',
  'seconds between two ticks of the watch': 'Sekunden zwischen zwei Blicken der Überwachung',
  'changed thresholds of the detector, as KEY=VALUE separated by blanks (see qa/replay --config); read when a mgr becomes active':
    'geänderte Schwellwerte der Erkennung, als NAME=WERT durch Leerzeichen getrennt; gelesen, wenn ein Manager aktiv wird',
  'read and write 4 KiB per OSD and minute, so that idle OSDs have latencies too':
    'je OSD und Minute 4 KiB lesen und schreiben, damit auch unbenutzte OSDs Latenzen haben',
  'OSDs that are polled every 5 s, one after the other, for checksum counters that they do not send; 0 for none':
    'so viele OSDs werden alle 5 s reihum nach Zählern der Prüfsummen gefragt, die sie nicht senden; 0: keines',
  "percentage of its op threads' time on checksums from which on an OSD is a hotspot, if that is also three times its peers'":
    'ab so viel Prozent der Zeit seiner Op-Threads für Prüfsummen ist ein OSD ein Hotspot, wenn es auch dreimal so viel ist wie bei vergleichbaren',
  'days for which latencies per 5 minutes are kept': 'Tage, für die Latenzen je 5 Minuten bleiben',
  'days for which latencies per hour are kept': 'Tage, für die Latenzen je Stunde bleiben',
  'days for which latencies per day are kept': 'Tage, für die Latenzen je Tag bleiben',
  'rounds of each profile that are kept; older ones are removed':
    'so viele Läufe jedes Profils bleiben; ältere werden entfernt',
  'MiB that the database may take; beyond that the oldest rounds are removed':
    'MiB, die die Datenbank haben darf; darüber werden die ältesten Läufe entfernt',
  'port at which the active mgr serves metrics for Prometheus; 0 for none':
    'Port, an dem der aktive Manager Metriken für Prometheus liefert; 0: keiner',
  'address at which the active mgr serves metrics; :: is every address':
    'Adresse, an der der aktive Manager Metriken liefert; :: ist jede',
  'serve metrics of every single OSD': 'Metriken jedes einzelnen OSDs liefern',
};
