import { Directive, TemplateRef, input, inject } from '@angular/core';
import { CellContext } from './column';

/** How the cells of one column look: `<ng-template [pbCell]="'osd'" [pbCellOf]="rows" let-row>`. */
@Directive({ selector: 'ng-template[pbCell]' })
export class CellDirective<T> {
  readonly pbCell = input.required<string>();
  /** Only for its type: it makes `let-row` a row. */
  readonly pbCellOf = input<readonly T[]>();
  readonly template = inject<TemplateRef<CellContext<T>>>(TemplateRef);

  static ngTemplateContextGuard<T>(
    _directive: CellDirective<T>,
    context: unknown,
  ): context is CellContext<T> {
    return context !== null;
  }
}
