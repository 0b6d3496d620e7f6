import { Component, computed, inject } from '@angular/core';
import { CrcErrors, CrcHost, CrcOsd } from '../../generated/types';
import { Api, CrcPage } from '../core/api';
import { RemoteList } from '../shared/data-table/remote-list';
import { errorColumns, hostColumns, osdColumns } from './crc-columns';
import { PIECES } from '../shared/pieces';

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
  protected readonly list = new RemoteList<CrcOsd, CrcPage>(
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
        none: 'No link errors in what was looked at.',
        rows: found?.links ?? [],
        leftOut: found?.links_left_out ?? 0,
      },
      {
        key: 'media',
        title: 'Media errors',
        none: 'No media errors in what was looked at.',
        rows: found?.media ?? [],
        leftOut: found?.media_left_out ?? 0,
      },
    ];
  });
  protected readonly columns = computed(() => ({
    osds: osdColumns(),
    errors: errorColumns(),
    hosts: hostColumns(),
  }));
  protected readonly osdId = (row: CrcOsd): number => row.osd;
  protected readonly hostId = (row: CrcHost): string => row.host;
  protected readonly errorId = (row: CrcErrors): string =>
    [row.host, row.osd, row.device, row.phy, row.kind].join(' ');
}
