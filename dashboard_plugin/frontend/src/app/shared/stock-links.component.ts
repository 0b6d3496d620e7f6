import { Component, computed, inject, input } from '@angular/core';
import { Target } from '../../generated/types';
import { StockPages } from '../core/stock';

/** Where the dashboard itself, and Grafana, show an OSD, a host or a pool. */
@Component({
  selector: 'pb-stock-links',
  host: { class: 'pb-stock' },
  template: `@for (link of links(); track link.key) {
    @if (link.external) {
      <a [href]="link.href" target="_blank" rel="noopener">{{ link.key }} ↗</a>
    } @else {
      <a [href]="link.href">{{ link.key }}</a>
    }
  }`,
})
export class StockLinksComponent {
  readonly kind = input.required<Target['kind']>();
  readonly id = input('');
  readonly #pages = inject(StockPages);
  protected readonly links = computed(() =>
    this.#pages.links({ kind: this.kind(), id: this.id() }),
  );
}
