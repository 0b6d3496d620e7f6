/** The fake back end's checksums: one OSD with a burst, a link and a medium that count errors. */

import { chance, iso } from './cluster.mjs';

/** @import {FakeCluster} from './cluster.mjs' */
/** @import {Crc, CrcErrors, CrcHost, CrcOsd} from '../src/generated/types.js' */

const BURST = { osd: 3, share: 0.43, minutesAgo: 4 };
const MINUTE = 60_000;

export class FakeChecksums {
  /** @param {FakeCluster} cluster @param {() => number} now */
  constructor(cluster, now) {
    this.cluster = cluster;
    this.now = now;
    /** @type {CrcOsd[] | null} */
    this.rows = null;
  }

  /** All OSDs, the highest shares first; made once. @returns {CrcOsd[]} */
  osds() {
    this.rows ??= Array.from({ length: this.cluster.count }, (_, osd) => this.#osd(osd)).sort(
      (a, b) => (b.checksum_share ?? -1) - (a.checksum_share ?? -1),
    );
    return this.rows;
  }

  /** @param {CrcOsd[]} page @returns {Crc} */
  around(page) {
    return {
      osds: page,
      links: this.#errors('udma_crc', 2, 120, 12),
      links_left_out: 0,
      media: this.#errors('read_retries', 1, 74, 74),
      media_left_out: 0,
      hosts: this.#hosts(),
      lower_bound:
        'checksums of reads from the device only: those of writes, of RocksDB and of the messenger are not counted by OSDs, so this is a lower bound',
      asking_until: null,
    };
  }

  /** @param {number} osd @returns {CrcOsd} */
  #osd(osd) {
    const place = this.cluster.place(osd);
    const hot = osd === BURST.osd;
    const share = 0.02 + 0.02 * chance(osd, 21);
    const peak = hot ? BURST.share : share * 1.2;
    const began = this.now() - BURST.minutesAgo * MINUTE;
    return {
      osd,
      host: place.host,
      class: place.class,
      checksum_share: place.up ? (hot ? BURST.share : share) : null,
      window_seconds: place.up ? 15 : null,
      op_threads: place.class === 'hdd' ? 5 : 16,
      asked: false,
      peers_median: 0.03,
      bytes_per_second: place.up ? 2e9 * (0.8 + 0.4 * chance(osd, 22)) : null,
      hot_since: hot ? iso(began) : null,
      peak_share: peak,
      peak_at: iso(began),
    };
  }

  /** @param {CrcErrors['kind']} kind @param {number} osd @param {number} count @param {number} day @returns {CrcErrors[]} */
  #errors(kind, osd, count, day) {
    if (osd >= this.cluster.count) return [];
    const { host, device } = this.cluster.place(osd);
    const at = iso(this.now() - 30 * MINUTE);
    return [
      {
        ...{ host, osd, osds: [osd], db_of: [], device, phy: null, kind, count, per_day: day },
        ...{ enclosure: null, slot: null, expander: null, since: at, read_at: at },
      },
    ];
  }

  /** @returns {CrcHost[]} */
  #hosts() {
    return Array.from({ length: this.cluster.count ? this.cluster.hosts : 0 }, (_, host) => ({
      host: `host-${host}`,
      cpu: 'Fake 9000',
      crc32c_bytes_per_second: host === 0 ? null : 2e10,
    }));
  }
}
