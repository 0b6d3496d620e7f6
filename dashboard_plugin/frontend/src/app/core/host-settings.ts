import { Signal, WritableSignal, computed, signal } from '@angular/core';
import { RIGHTS } from '../../generated/types';
import { Look, isDark, parseLook } from './look';

/** By scope what the user may do there: `{ osd: ['read'] }`. */
export type Permissions = Readonly<Record<string, readonly string[]>>;
export type Route = keyof typeof RIGHTS;

export type Theme = 'light' | 'dark' | 'auto';
export type Announce = (type: string, detail: Readonly<Record<string, unknown>>) => void;

/** Until the host says otherwise nobody may change anything; the back end decides in any case. */
const READ_ONLY: Permissions = { osd: ['read'] };

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
  /** How the host page looks, where its entry script could tell. */
  readonly look = signal<Look | null>(null);
  /** What routes need and the user has not, each as `osd create`. */
  readonly lacking: Signal<readonly string[]> = computed(() => {
    const needed = new Set(Object.values(RIGHTS).flat());
    return [...needed].filter((right) => !has(this.permissions(), right));
  });
  readonly dark: Signal<boolean>;

  readonly #theme = signal<Theme>('auto');
  readonly #systemDark = signal(false);

  constructor(readonly announce: Announce) {
    const query = globalThis.matchMedia('(prefers-color-scheme: dark)');
    this.#systemDark.set(query.matches);
    query.addEventListener('change', (change) => this.#systemDark.set(change.matches));
    this.dark = computed(() => {
      const look = this.look();
      if (look !== null) return isDark(look);
      return this.#theme() === 'auto' ? this.#systemDark() : this.#theme() === 'dark';
    });
  }

  /** Whether the user has what a route always needs; the rest depends on what is asked for. */
  may(route: Route): boolean {
    return RIGHTS[route].every((right) => has(this.permissions(), right));
  }

  /** Take an attribute's value; null when it is taken away. Nonsense counts as absent. */
  take(name: string, value: string | null): void {
    const setters: Record<string, () => void> = {
      'base-path': () => this.basePath.set((value ?? 'api/perf_bench').replace(/\/+$/, '')),
      look: () => this.look.set(parseLook(value)),
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

function has(permissions: Permissions, right: string): boolean {
  const [scope = '', permission = ''] = right.split(' ');
  return permissions[scope]?.includes(permission) ?? false;
}

/** Only lists of words count; nonsense is a user who may read. */
export function parsePermissions(text: string | null): Permissions {
  try {
    const given: unknown = JSON.parse(text ?? 'null');
    if (given === null || typeof given !== 'object') return READ_ONLY;
    const lists = Object.entries(given).filter((entry): entry is [string, unknown[]] =>
      Array.isArray(entry[1]),
    );
    return Object.fromEntries(
      lists.map(([scope, words]) => [scope, words.filter((word) => typeof word === 'string')]),
    );
  } catch {
    return READ_ONLY;
  }
}
