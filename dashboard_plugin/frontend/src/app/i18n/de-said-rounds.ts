import { Sentence } from '../../generated/types';

/** Why rounds have their verdict, and what their figures say; in German. */
export const deSaidRounds = {
  aborted: 'vom Bediener abgebrochen',
  'beyond-estimate': 'er dauerte mehr als {minutes} min, weit länger als geschätzt',
  brief: 'zu kurz gemessen, um viel zu sagen: {osds:list}',
  'cannot-judge':
    'was er gemessen hat, lässt sich nicht beurteilen ({problem}); seine Messwerte bleiben: „ceph perf-bench round export {round} --raw“ gibt sie aus',
  'client-early': 'ein Client endete vorzeitig',
  'clients-apart': 'sie endeten bis zu {seconds:.1f} s nacheinander, wie sie begonnen hatten',
  'clients-noisy':
    'Wiederholungen unterscheiden sich um {cv:.1f} % (CV); höchstens {most} % gelten als gültig',
  'clients-part': 'alle liefen zusammen {seconds:.1f} von {planned} s: {why}',
  'clients-read-all': 'alles Geschriebene war einmal gelesen',
  'clients-short': 'die Clients liefen {seconds:.2f} s zusammen: {why}; mehr --seconds helfen',
  'clients-steady': 'CV {cv:.1f} % über {repeats|Wiederholung|Wiederholungen}',
  'clients-wrote-most':
    '{bytes} Bytes sind das meiste, was er auf einmal in den Pool schreiben darf',
  'collapse-together':
    '{what} eines OSDs auf {host} fallen auf {percent:.0f} %, während alle gewählten OSDs des Hosts arbeiten: {rates}',
  'degraded-after-load':
    '{what} auf {host} bleiben bei {percent:.0f} %, wenn ein OSD wieder allein ist: {rates}',
  'degraded-still': '{stay}, und sind nach {span:span} nicht zurück',
  'few-repeats':
    '{repeats|Wiederholung ist|Wiederholungen sind} zu wenig für ein Intervall: {least} sind nötig',
  loud: 'verrauscht zwischen Wiederholungen: {osds:list}',
  'more-osds': 'und {more|weiteres OSD|weitere OSDs}',
  'no-run': 'keine Messung wurde gemacht',
  noisy:
    'Wiederholungen desselben OSDs unterscheiden sich um {cv:.1f} % (CV im Median); höchstens {most} % gelten als gültig',
  'not-read':
    'nur beschrieben, denn ein OSD ohne primäre Placement Group im Pool perf_bench wird nicht gelesen: {osds:osds}',
  'one-repeat': 'eine Wiederholung: wie sehr Wiederholungen schwanken, ist nicht bekannt',
  'one-sample': 'ein Messwert je OSD: wie sehr Wiederholungen schwanken, ist nicht bekannt',
  'osd-percent': 'osd.{osd} ({percent:.0f} %)',
  'osd-seconds': 'osd.{osd} ({seconds:.2f} s)',
  'pooled-short': 'insgesamt {seconds:.2f} s gemessen (Median): {least} s sind nötig',
  precise: '{reached}: {enough} % genügen',
  'precise-later': '{reached}: bei einem CV von {cv:.1f} % braucht es {repeats}',
  'precise-limit': '{reached}, und {most} sind die Grenze',
  'precise-never':
    '{reached}: bei einem CV von {cv:.1f} % würden {most} die {enough} % nicht erreichen',
  'precise-to': 'Werte sind auf {width:.1f} % genau nach {repeats|Wiederholung|Wiederholungen}',
  'import-once':
    'wie {tool} es angab, nicht hier gemessen: die Streuung zwischen Messungen ist nicht bekannt',
  'import-short': 'wie {tool} es angab; ein Job dauerte nur {seconds:.2f} s',
  'state-queued': 'wartet',
  'state-running': 'läuft',
  'rate-of-before': '{rate:.0f} von {before:.0f} MiB/s',
  reads: 'Lesezugriffe',
  'recovered-after':
    '{what} auf {host} sind nach {span:span} wieder bei {percent:.0f} % ({rests|Pause|Pausen})',
  'repeat-lacks': 'Wiederholung {repeat}: {why}',
  'repeats-missing': '{made} von {planned|Wiederholung|Wiederholungen} gemessen',
  'round-slow-more':
    '{more|weiteres OSD ist langsamer als seine Vergleichs-OSDs|weitere OSDs sind langsamer als ihre Vergleichs-OSDs}',
  'round-slow-osd': 'osd.{osd} auf {host} erreicht {percent:.0f} % seiner Vergleichs-OSDs',
  'run-lacks':
    'Messung {run} ({clients|Client|Clients} × {threads|Thread|Threads}): {why}; die Suche endete dort',
  'samples-given-up':
    '{why} und wurde nicht noch einmal gefragt ({there} von {asked|Messwert|Messwerten})',
  'samples-missing': '{why} ({there} von {asked|Messwert|Messwerten})',
  'search-noisy':
    'CV {cv:.1f} % über {runs|Messung|Messungen} des höchsten Durchsatzes; höchstens {most} % gelten als gültig',
  'search-runs': '{runs|Messung|Messungen} statt {grid} für alle Lasten',
  'search-runs-all':
    '{runs|Messung|Messungen}: es gibt {grid} Lasten, und die besten werden mehrmals gemessen',
  'search-short': 'die Clients liefen nur {seconds:.2f} s zusammen: mehr --seconds helfen',
  'search-steady': 'CV {cv:.1f} % über {runs|Messung|Messungen} des höchsten Durchsatzes',
  'search-unconfirmed':
    'der höchste Durchsatz oder sein Knick wurde nur einmal gemessen, denn Messungen unterscheiden sich sehr: mehr --seconds helfen',
  steady: 'CV {cv:.1f} % im Median über {repeats|Wiederholung|Wiederholungen}',
  'too-short':
    'ein OSD wurde insgesamt {seconds:.2f} s gemessen (Median): zu kurz, um etwas zu sagen; mehr --repeats helfen',
  'too-short-option':
    'ein OSD wurde insgesamt {seconds:.2f} s gemessen (Median): zu kurz, um etwas zu sagen; mehr --repeats oder ein höheres {option} helfen',
  unmeasured: 'osd.{osd} wurde nicht gemessen',
  wal: '{osds:osds}: {what}: {deferred:.0f} aufgeschobene und {direct:.0f} direkte Schreibzugriffe/s (Metadaten: {metadata})',
  'wal-data-device': 'das Gerät der Daten',
  'wal-differs-disk':
    'das Write-Ahead-Log ist so langsam wie ein drehendes Gerät, anders als das OSD sagt',
  'wal-differs-flash': 'das Write-Ahead-Log liegt auf Flash, anders als das OSD sagt',
  'wal-kind-flash': '{where}, Flash',
  'wal-kind-spinning': '{where}, drehend',
  'wal-kind-unknown': '{where}, von unbekannter Art',
  'wal-on-disk': 'das Write-Ahead-Log ist so langsam wie ein drehendes Gerät',
  'wal-on-flash': 'das Write-Ahead-Log liegt auf Flash',
  'wal-own-device': 'ein eigenes {kind}-Gerät',
  'wal-unclear':
    'die Daten sind nicht so langsam wie auf einem drehenden Gerät, also sagt es nichts über das Log',
  writes: 'Schreibzugriffe',
} satisfies Partial<Record<Sentence, string>>;
