import { NOTHING, gib, share, whole } from '../core/format';
import { Column, figure, minor, plain } from '../shared/data-table/column';
import { tenantsText } from '../shared/tenants.component';
import { Component, computed, inject } from '@angular/core';
import { CrcErrors, OsdChecksums } from '../../generated/types';
import { Api, CrcPage } from '../core/api';
import { RemoteList } from '../shared/data-table/remote-list';
import { PIECES } from '../shared/pieces';
import { ERRORS } from './errors';

/** As often as there is a new window of an OSD. */
const POLL_MS = 15_000;
/** OSDs to begin with: errors and hosts stand below them. */
const FIRST = 10;

/** Checksums: what they take of OSDs, how fast they are, and errors of links and media. */
@Component({
  selector: 'pb-crc',
  imports: [PIECES],
  templateUrl: './crc.component.html',
})
export class CrcComponent {
  readonly #api = inject(Api);
  protected readonly list = new RemoteList<OsdChecksums, CrcPage>(
    (query, signal) => this.#api.crc(query, signal),
    'checksums',
    POLL_MS,
    { limit: FIRST },
  );
  protected readonly shown = computed(() => this.list.live.value()?.whole ?? null);
  protected readonly errors = computed(() => {
    const found = this.shown();
    return [
      {
        key: 'links',
        title: 'Link errors',
        rows: found?.links ?? [],
        leftOut: found?.links_left_out ?? 0,
      },
      {
        key: 'media',
        title: 'Media errors',
        rows: found?.media ?? [],
        leftOut: found?.media_left_out ?? 0,
      },
    ].filter(({ rows }) => rows.length);
  });
  protected readonly columns: {
    osds: readonly Column<OsdChecksums>[];
    errors: readonly Column<CrcErrors>[];
  } = {
    osds: [
      plain('osd', 'OSD'),
      plain('host', 'Host'),
      figure(
        'checksum_share',
        'Share',
        share,
        'Share of the time of the OSD’s op threads in the newest window. OSDs of Ceph 16 do not send it and are asked for it.',
      ),
      figure('peers_median', 'Peers', share),
      figure('peak_share', 'Highest', share, 'Highest share of the last 24 hours.'),
      plain('hot_since', 'High since'),
      figure(
        'bytes_per_second',
        'GiB/s',
        gib,
        'Bytes read from the device per second of checksum time, inside the OSD.',
      ),
      minor(figure('op_threads', 'Op threads', whole)),
    ],
    errors: [
      figure(
        'per_day',
        'In 24 h',
        whole,
        'New in the last 24 hours; – if there is only one reading, or none in this time.',
      ),
      plain('count', 'Total', { figure: true }),
      plain('kind', 'Errors', { value: (row) => ERRORS[row.kind] }),
      plain('osd', 'OSD', { text: (row) => tenantsText(row) || NOTHING }),
      plain('host', 'Host'),
      plain('device', 'Device', { value: (row) => row.device ?? row.phy }),
      { key: 'place', title: 'Where', value: placeOf },
      plain('since', 'Growing since'),
    ],
  };
  protected readonly osdId = (row: OsdChecksums): number => row.osd;
  protected readonly errorId = (row: CrcErrors): string =>
    [row.host, row.osd, row.device, row.phy, row.kind].join(' ');
}

/** Enclosure, slot, expander; null where none is known. */
function placeOf({ enclosure, slot, expander }: CrcErrors): string | null {
  const parts = [enclosure, slot === null ? null : `slot ${slot}`, expander];
  return parts.filter((part) => part !== null).join(', ') || null;
}
