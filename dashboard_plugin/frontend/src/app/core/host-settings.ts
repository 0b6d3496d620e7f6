import { Signal, WritableSignal, computed, signal } from '@angular/core';

export interface Permissions {
  readonly read: boolean;
  readonly update: boolean;
}

export type Theme = 'light' | 'dark' | 'auto';
export type Announce = (type: string, detail: Readonly<Record<string, unknown>>) => void;

/** Until the host says otherwise nobody may change anything; the back end decides in any case. */
const READ_ONLY: Permissions = { read: true, update: false };

/** What the host page tells the element, and the way to tell the host page something. */
export class HostSettings {
  readonly basePath = signal('api/perf_bench');
  readonly route = signal('/');
  /** What stands before a route in a link's address, for a new tab or a bookmark. */
  readonly routePrefix = signal('#/perf-bench');
  readonly standalone = signal(false);
  readonly locale = signal('en');
  readonly permissions: WritableSignal<Permissions> = signal(READ_ONLY);
  readonly title = signal('');
  readonly dark: Signal<boolean>;

  readonly #theme = signal<Theme>('auto');
  readonly #systemDark = signal(false);

  constructor(readonly announce: Announce) {
    const query = globalThis.matchMedia('(prefers-color-scheme: dark)');
    this.#systemDark.set(query.matches);
    query.addEventListener('change', (change) => this.#systemDark.set(change.matches));
    this.dark = computed(() =>
      this.#theme() === 'auto' ? this.#systemDark() : this.#theme() === 'dark',
    );
  }

  /** Take an attribute's value; null when it is taken away. Nonsense counts as absent. */
  take(name: string, value: string | null): void {
    const setters: Record<string, () => void> = {
      'base-path': () => this.basePath.set((value ?? 'api/perf_bench').replace(/\/+$/, '')),
      locale: () => this.locale.set(value ?? 'en'),
      permissions: () => this.permissions.set(parsePermissions(value)),
      route: () => this.route.set(value ?? '/'),
      'route-prefix': () => this.routePrefix.set(value ?? '#/perf-bench'),
      standalone: () => this.standalone.set(value !== null),
      theme: () => this.#theme.set(value === 'light' || value === 'dark' ? value : 'auto'),
    };
    setters[name]?.();
  }
}

export function parsePermissions(text: string | null): Permissions {
  try {
    const given = JSON.parse(text ?? 'null') as Partial<Permissions> | null;
    return given === null
      ? READ_ONLY
      : { read: given.read === true, update: given.update === true };
  } catch {
    return READ_ONLY;
  }
}
