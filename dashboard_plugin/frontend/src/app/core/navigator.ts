import { Injectable, computed, inject } from '@angular/core';
import { HostSettings } from './host-settings';
import { parseRoute } from './route';
import { writeHash } from './standalone-address';

/** Where the user is inside the tab, and the way to somewhere else. */
@Injectable({ providedIn: 'root' })
export class Navigator {
  readonly #host = inject(HostSettings);
  readonly route = computed(() => parseRoute(this.#host.route()));

  /** Go there, and tell the host page, which keeps the address. */
  go(route: string): void {
    if (route === this.#host.route()) return;
    this.#host.route.set(route);
    this.#announce('perf-bench-navigate');
    if (this.#host.standalone()) writeHash(route);
  }

  /** The page shown has this title. */
  entitle(title: string): void {
    if (title === this.#host.title()) return;
    this.#host.title.set(title);
    this.#announce('perf-bench-title');
  }

  /** The address of a route, for a link that may be opened in a new tab. */
  address(route: string): string {
    return this.#host.routePrefix() + (route === '/' ? '' : route);
  }

  #announce(type: string): void {
    this.#host.announce(type, { route: this.#host.route(), title: this.#host.title() });
  }
}
