import { NgTemplateOutlet } from '@angular/common';
import {
  Component,
  ElementRef,
  computed,
  contentChildren,
  effect,
  input,
  output,
  signal,
  untracked,
  inject,
} from '@angular/core';
import {
  ColumnDef,
  PaginationState,
  SortingState,
  createPaginatedRowModel,
  createSortedRowModel,
  injectTable,
  rowPaginationFeature,
  rowSortingFeature,
  tableFeatures,
} from '@tanstack/angular-table';
import { DownloadsComponent, MakeFile } from '../downloads.component';
import { CellDirective } from './cell.directive';
import { Column, TableQuery } from './column';
import { compare } from './compare';
import { Cell, csv, json } from './export';
import { Hint } from './hint';

const features = tableFeatures({
  rowSortingFeature,
  rowPaginationFeature,
  sortedRowModel: createSortedRowModel(),
  paginatedRowModel: createPaginatedRowModel(),
});
const SEARCH_PAUSE_MS = 300;

/**
 * A table that sorts, pages, searches and exports. With `total` it is remote: `rows` are one page,
 * and `query` says which page is wanted; else `rows` are all there is.
 */
@Component({
  selector: 'pb-table',
  imports: [DownloadsComponent, NgTemplateOutlet],
  host: { class: 'pb-table-box' },
  templateUrl: './data-table.component.html',
})
export class DataTableComponent<T> {
  readonly name = input.required<string>();
  /** The name of exported files, without ending. */
  readonly file = input.required<string>();
  readonly columns = input.required<readonly Column<T>[]>();
  readonly rows = input.required<readonly T[]>();
  readonly rowId = input.required<(row: T) => string | number>();
  readonly total = input<number | null>(null);
  readonly searchable = input(true);
  readonly empty = input('');
  /** All rows of a remote table, for the export. */
  readonly all = input<(() => Promise<readonly T[]>) | null>(null);
  readonly pageSize = input(25);
  /** What a remote table's rows are of: its page and order follow, also when somebody else sets it. */
  readonly asked = input<TableQuery | null>(null);
  /** The looks of cells that a part around this one was given. */
  readonly looks = input<readonly CellDirective<T>[]>([]);
  readonly query = output<TableQuery>();

  protected readonly sizes = [10, 25, 50, 100];
  protected readonly files = { csv: 'CSV', json: 'JSON' };
  protected readonly search = signal('');
  protected readonly hint = new Hint(inject<ElementRef<HTMLElement>>(ElementRef).nativeElement);
  readonly #sorting = signal<SortingState>([]);
  readonly #pagination = signal<PaginationState>({ pageIndex: 0, pageSize: 25 });
  private readonly cells = contentChildren<CellDirective<T>>(CellDirective);
  #typing: ReturnType<typeof setTimeout> | undefined;

  protected readonly templates = computed(
    () => new Map([...this.looks(), ...this.cells()].map((cell) => [cell.pbCell(), cell.template])),
  );
  protected readonly remote = computed(() => this.total() !== null);
  readonly #found = computed(() => {
    const wanted = this.search().trim().toLowerCase();
    if (this.remote() || !wanted) return this.rows();
    return this.rows().filter((row) => this.#texts(row).includes(wanted));
  });
  readonly #defs = computed(() =>
    this.columns().map((column): ColumnDef<typeof features, { of: T }> => ({
      id: column.key,
      accessorFn: (row) => column.value(row.of) ?? undefined,
      enableSorting: column.sortable ?? false,
      sortFn: (a, b, id) =>
        compare(a.getValue<Cell | undefined>(id), b.getValue<Cell | undefined>(id)),
      sortUndefined: 'last',
      sortDescFirst: column.figure ?? false,
    })),
  );
  readonly #data = computed(() => this.#found().map((of) => ({ of })));
  protected readonly table = injectTable(() => ({
    features,
    columns: this.#defs(),
    data: this.#data(),
    getRowId: (row: { of: T }) => String(this.rowId()(row.of)),
    manualSorting: this.remote(),
    manualPagination: this.remote(),
    autoResetPageIndex: false,
    enableMultiSort: false,
    rowCount: this.total() ?? this.#found().length,
    state: { sorting: this.#sorting(), pagination: this.#pagination() },
    onSortingChange: (next: SortingState | ((before: SortingState) => SortingState)) => {
      this.#sorting.update((before) => (typeof next === 'function' ? next(before) : next));
      this.#go(0);
    },
  }));

  protected readonly count = computed(() => this.total() ?? this.#found().length);
  protected readonly size = computed(() => this.#pagination().pageSize);
  protected readonly page = computed(() => this.#pagination().pageIndex);
  protected readonly from = computed(() => Math.min(this.count(), this.page() * this.size() + 1));
  protected readonly to = computed(() => Math.min(this.count(), (this.page() + 1) * this.size()));
  protected readonly range = computed(() => `${this.from()}–${this.to()} of ${this.count()}`);
  protected readonly shown = computed(() => this.table.getRowModel().rows);

  constructor() {
    effect(() => {
      const pageSize = this.pageSize();
      untracked(() => this.#pagination.update((before) => ({ ...before, pageSize })));
    });
    effect(() => {
      const asked = this.asked();
      if (!asked) return;
      const { offset, limit, sort } = asked;
      untracked(() => {
        this.#pagination.set({ pageIndex: Math.floor(offset / limit), pageSize: limit });
        this.#sorting.set(sort ? [{ id: sort.slice(1), desc: sort.startsWith('-') }] : []);
      });
    });
    // Rows may have gone (another search, a deleted round): never stand past the end.
    effect(() => {
      const last = Math.max(0, Math.ceil(this.count() / this.size()) - 1);
      if (untracked(this.page) > last) untracked(() => this.#go(last));
    });
  }

  protected sorted(column: Column<T>): 'ascending' | 'descending' | 'none' | null {
    if (!column.sortable) return null;
    const [sort] = this.#sorting();
    if (sort?.id !== column.key) return 'none';
    return sort.desc ? 'descending' : 'ascending';
  }

  /** Where the help of this column stands for who hears it; null without one. */
  protected helpId({ help, key }: Column<T>): string | null {
    return help ? `pb-help-${this.file()}-${key}` : null;
  }

  protected sort(column: Column<T>): void {
    this.table.getColumn(column.key)?.toggleSorting();
  }

  protected type(text: string): void {
    clearTimeout(this.#typing);
    this.#typing = setTimeout(
      () => {
        this.search.set(text);
        this.#go(0);
      },
      this.remote() ? SEARCH_PAUSE_MS : 0,
    );
  }

  protected turn(pages: number): void {
    this.#go(this.page() + pages);
  }

  protected resize(size: number): void {
    this.#pagination.set({ pageIndex: 0, pageSize: size });
    this.#ask();
  }

  protected readonly make: MakeFile<'csv' | 'json'> = async (kind) => {
    const all = this.all();
    const rows = all
      ? await all()
      : this.table.getSortedRowModel().rows.map((row) => row.original.of);
    const columns = this.columns().flatMap((column) => column.files ?? [column]);
    const text = kind === 'csv' ? csv(columns, rows) : json(columns, rows);
    return { name: `${this.file()}.${kind}`, text };
  };

  #go(pageIndex: number): void {
    this.#pagination.update((before) => ({ ...before, pageIndex }));
    this.#ask();
  }

  #ask(): void {
    const [sort] = this.#sorting();
    this.query.emit({
      offset: this.page() * this.size(),
      limit: this.size(),
      sort: sort ? `${sort.desc ? '-' : '+'}${sort.id}` : '',
      search: this.search().trim(),
    });
  }

  #texts(row: T): string {
    return this.columns()
      .map((column) => column.text?.(row) ?? String(column.value(row) ?? ''))
      .join('\n')
      .toLowerCase();
  }
}
