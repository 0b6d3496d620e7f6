import { NgTemplateOutlet } from '@angular/common';
import {
  Component,
  ElementRef,
  computed,
  contentChildren,
  effect,
  input,
  linkedSignal,
  output,
  signal,
  untracked,
  inject,
} from '@angular/core';
import { DownloadsComponent, MakeFile } from '../downloads.component';
import { CellDirective } from './cell.directive';
import { Column, TableQuery } from './column';
import { compare } from './compare';
import { csv, json } from './export';
import { Hint } from './hint';

const SEARCH_PAUSE_MS = 300;
/** So many rows are looked through without help. */
const FEW = 10;

interface Order {
  readonly key: string;
  readonly down: boolean;
}

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
  protected readonly FEW = FEW;
  protected readonly search = signal('');
  /** Stays, so that the search is there also while it finds few. */
  protected readonly many = linkedSignal<boolean, boolean>({
    source: () => this.count() > FEW,
    computation: (now, before) => now || (before?.value ?? false),
  });
  protected readonly hint = new Hint(inject<ElementRef<HTMLElement>>(ElementRef).nativeElement);
  readonly #order = signal<Order | null>(null);
  protected readonly page = signal(0);
  protected readonly size = linkedSignal(() => this.pageSize());
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
  /** In the order that was chosen; what has no data comes last both ways. */
  readonly #sorted = computed(() => {
    const order = this.#order();
    const column = this.columns().find(({ key }) => key === order?.key);
    if (this.remote() || !order || !column) return this.#found();
    const keyed = this.#found().map((row) => ({ row, value: column.value(row) }));
    const known = keyed.filter(({ value }) => value !== null);
    known.sort((a, b) => (order.down ? compare(b.value, a.value) : compare(a.value, b.value)));
    return [...known, ...keyed.filter(({ value }) => value === null)].map(({ row }) => row);
  });
  protected readonly count = computed(() => this.total() ?? this.#found().length);
  protected readonly from = computed(() => Math.min(this.count(), this.page() * this.size() + 1));
  protected readonly to = computed(() => Math.min(this.count(), (this.page() + 1) * this.size()));
  protected readonly range = computed(() => `${this.from()}–${this.to()} of ${this.count()}`);
  protected readonly shown = computed(() =>
    this.remote()
      ? this.rows()
      : this.#sorted().slice(this.page() * this.size(), (this.page() + 1) * this.size()),
  );

  constructor() {
    effect(() => {
      const asked = this.asked();
      if (!asked) return;
      const { offset, limit, sort } = asked;
      untracked(() => {
        this.page.set(Math.floor(offset / limit));
        this.size.set(limit);
        this.#order.set(sort ? { key: sort.slice(1), down: sort.startsWith('-') } : null);
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
    const order = this.#order();
    if (order?.key !== column.key) return 'none';
    return order.down ? 'descending' : 'ascending';
  }

  /** Where the help of this column stands for who hears it; null without one. */
  protected helpId({ help, key }: Column<T>): string | null {
    return help ? `pb-help-${this.file()}-${key}` : null;
  }

  /** One way, the other way, and then as the rows come; of figures the highest come first. */
  protected sort({ key, figure = false }: Column<T>): void {
    this.#order.update((before) => {
      if (before?.key !== key) return { key, down: figure };
      return before.down === figure ? { key, down: !figure } : null;
    });
    this.#go(0);
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
    this.size.set(size);
    this.#go(0);
  }

  protected readonly make: MakeFile<'csv' | 'json'> = async (kind) => {
    const all = this.all();
    const rows = all ? await all() : this.#sorted();
    const columns = this.columns().flatMap((column) => column.files ?? [column]);
    const text = kind === 'csv' ? csv(columns, rows) : json(columns, rows);
    return { name: `${this.file()}.${kind}`, text };
  };

  #go(page: number): void {
    this.page.set(page);
    const order = this.#order();
    this.query.emit({
      offset: this.page() * this.size(),
      limit: this.size(),
      sort: order ? `${order.down ? '-' : '+'}${order.key}` : '',
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
