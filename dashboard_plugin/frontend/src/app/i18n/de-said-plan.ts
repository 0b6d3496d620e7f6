import { Sentence } from '../../generated/types';

/** Notes of a plan; in German. */
export const deSaidPlan = {
  'plan-alone':
    'allein: {osds:osds} (die kleinste ID des Hosts, damit es in jedem Lauf dasselbe ist)',
  'plan-compresses': 'der Pool {pool} komprimiert Daten ({how})',
  'plan-host-of-solo':
    'ein Host, der des allein gemessenen OSDs: {host} (mit --osds host=NAME ein anderer)',
  'plan-largest-host':
    'ein Host, der mit den meisten OSDs: {host} (mit --osds host=NAME ein anderer)',
  'plan-lengthened':
    'von {before} auf {bytes} Bytes je Messung verlängert, weil sie bei der Rate des letzten Laufs nur {took:.0f} ms dauern würde',
  'plan-makes-pool': 'der Pool {pool} wird zuerst angelegt',
  'plan-most-runs': 'höchstens {runs}',
  'plan-no-counterpart': 'ausgelassen, weil sie keine OSDs zum Vergleich haben: {hosts:list}',
  'plan-no-wal': '{osds|OSD|OSDs} ausgelassen: Daten auf Flash, oder nichts wird aufgeschoben',
  'plan-not-raised':
    'Messungen sind vielleicht zu kurz: Die Optionen osd_bench_* werden nicht erhöht, weil das Recht update des Bereichs config-opt fehlt',
  'plan-not-up': 'ausgelassen, weil nicht „up“: {osds:osds}',
  'plan-raised': '{note}; {option} wird dafür auf {value} erhöht',
  'plan-shortened': 'von {before} auf {bytes} Bytes je Messung verkürzt durch {option}',
  'plan-workers-idle':
    '{count} von {all} Workern {count#führt|führen} keinen Client aus, weil die Suche höchstens {most|Client|Clients} hat (--clients): {names:list}',
  'plan-worker-left-out': 'Worker {id} auf {host} ist ausgelassen ({state:state}): {why}',
  'plan-workers-more':
    '{count|weiterer Worker ist|weitere Worker sind} ausgelassen: „ceph perf-bench worker ls“ nennt alle',
  'plan-workers-most':
    '{count} von {all} Workern {count#ist|sind} ausgelassen, weil ein Lauf höchstens {most} Clients hat: {names:list}',
  'plan-writes-first': 'jeder Client schreibt zuerst {seconds} s lang die Objekte, die er liest',
} satisfies Partial<Record<Sentence, string>>;
