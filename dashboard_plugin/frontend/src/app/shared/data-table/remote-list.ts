import { signal } from '@angular/core';
import { everything } from '../../core/everything';
import { Page, Query } from '../../core/http';
import { Live, live } from '../../core/live';
import { TableQuery } from './column';

/** What a remote table needs of its page: the rows it asked for, kept current, and all of them. */
export class RemoteList<T> {
  readonly query = signal<TableQuery>({ offset: 0, limit: 25, sort: '', search: '' });
  readonly live: Live<Page<T>>;

  /** `name` is unlike that of any other list. For an injection context. */
  constructor(
    private readonly ask: (query: Query, signal?: AbortSignal) => Promise<Page<T>>,
    name: string,
    pollMs: number,
  ) {
    this.live = live((signal) => ask({ ...this.query() }, signal), {
      every: () => pollMs,
      keep: true,
      remember: () => `${name} ${JSON.stringify(this.query())}`,
    });
  }

  /** For the export. */
  readonly all = (): Promise<readonly T[]> => {
    const { search, sort } = this.query();
    return everything((part) => this.ask({ ...part, search, sort }));
  };
}
