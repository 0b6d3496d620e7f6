import { WritableSignal, computed, inject, signal } from '@angular/core';
import { Lists } from '../../../generated/types';
import { Api } from '../../core/api';
import { everything } from '../../core/everything';
import { Page, Query } from '../../core/http';
import { Live, live } from '../../core/live';
import { TableQuery } from './column';

interface ListOptions {
  /** Only some rows. */
  readonly which?: () => Query;
  /** Rows of a page, until the user wants another number. */
  readonly limit?: number;
}

/** What a remote table needs of its page: the rows it asked for, kept current, and all of them. */
export class RemoteList<T, P extends Page<T> = Page<T>> {
  readonly query: WritableSignal<TableQuery>;
  readonly live: Live<P>;
  /** For the export. */
  readonly all: () => Promise<readonly T[]>;
  readonly rows = computed<readonly T[]>(() => this.live.value()?.rows ?? []);

  /** `name` is unlike that of any other list; files are named by it. For an injection context. */
  constructor(
    ask: (query: Query, signal?: AbortSignal) => Promise<P>,
    readonly name: string,
    pollMs: number,
    { which = () => ({}), limit = 25 }: ListOptions = {},
  ) {
    this.query = signal({ offset: 0, limit, sort: '', search: '' });
    this.live = live((signal) => ask({ ...this.query(), ...which() }, signal), {
      every: () => pollMs,
      keep: true,
      remember: () => `${name} ${JSON.stringify({ ...this.query(), ...which() })}`,
    });
    this.all = () => {
      const { search, sort } = this.query();
      return everything((part) => ask({ ...part, search, sort, ...which() }));
    };
  }
}

/** The list of this route. For an injection context. */
export function remoteList<R extends keyof Lists>(
  route: R,
  name: string,
  pollMs: number,
  options?: ListOptions,
): RemoteList<Lists[R]> {
  const api = inject(Api);
  return new RemoteList((query, signal) => api.page(route, query, signal), name, pollMs, options);
}
