import { Injectable, computed, inject } from '@angular/core';
import { Target } from '../../generated/types';
import { HostSettings } from './host-settings';
import { Http } from './http';
import { live } from './live';

/** A page of the dashboard around us, or of its Grafana. */
export interface StockLink {
  readonly key: string;
  readonly href: string;
  readonly external: boolean;
}

/** The dashboard's own lists; they have no address for a single OSD, pool or host. */
const LISTS: Readonly<Record<string, { readonly key: string; readonly hash: string }>> = {
  osd: { key: 'OSDs in the Ceph Dashboard', hash: '#/osd' },
  pool: { key: 'Pools in the Ceph Dashboard', hash: '#/pool' },
  host: { key: 'Hosts in the Ceph Dashboard', hash: '#/hosts' },
};

/** Ceph's Grafana dashboards, by the fixed IDs that the stock dashboard embeds them with. */
const BOARDS: Readonly<Record<string, (id: string) => string>> = {
  osd: (id) => `CrAHE0iZz/osd-device-details?var-osd=osd.${id}`,
  pool: (id) => `-xyV8KCiz/ceph-pool-details?var-pool_name=${encodeURIComponent(id)}`,
  host: (id) => `rtOg0AiWz/host-details?var-ceph_hosts=${encodeURIComponent(id)}`,
};

/** The ways from our pages to those of the dashboard that they live in. */
@Injectable({ providedIn: 'root' })
export class StockPages {
  readonly #host = inject(HostSettings);
  readonly #http = inject(Http);
  /** Who may not ask, or has none configured, sees no link. */
  readonly #grafana = live((signal) =>
    this.#http.beside<{ instance?: string }>('grafana/url', signal).catch(() => ({ instance: '' })),
  );
  readonly #boards = computed(() => {
    const url = this.#grafana.value()?.instance ?? '';
    // Only what a browser opens as a page: the setting is a free text.
    return /^https?:\/\//.test(url) ? url.replace(/\/+$/, '') : '';
  });

  links({ kind, id }: Target): readonly StockLink[] {
    const list = LISTS[kind];
    const board = BOARDS[kind];
    if (!list || !board) return [];
    const root = this.#host.basePath().replace(/api\/perf_bench$/, '');
    const links: StockLink[] = [{ key: list.key, href: root + list.hash, external: false }];
    if (this.#boards() && id)
      links.push({
        key: 'Grafana',
        href: `${this.#boards()}/d/${board(id)}`,
        external: true,
      });
    return links;
  }
}
