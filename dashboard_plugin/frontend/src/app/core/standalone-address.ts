/* eslint-disable no-restricted-globals -- the one place that may read the address, when alone */
import { HostSettings } from './host-settings';

/** On the page `/perf-bench/` nobody else owns the address: then its hash is the route. */
export class StandaloneAddress {
  #listening = false;
  readonly #read = (): void => {
    if (this.settings.standalone()) this.settings.route.set(location.hash.slice(1) || '/');
  };

  constructor(private readonly settings: HostSettings) {}

  listen(): void {
    if (this.#listening || !this.settings.standalone()) return;
    this.#listening = true;
    this.settings.routePrefix.set('#');
    window.addEventListener('hashchange', this.#read);
    this.#read();
  }

  ignore(): void {
    this.#listening = false;
    window.removeEventListener('hashchange', this.#read);
  }
}

/** Make `route` the address; the browser's back button returns to the one before. */
export function writeHash(route: string): void {
  history.pushState(null, '', `#${route}`);
}
