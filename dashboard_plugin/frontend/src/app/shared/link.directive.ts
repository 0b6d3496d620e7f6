import { Directive, computed, inject, input, output } from '@angular/core';
import { Navigator } from '../core/navigator';

/** A link inside the tab: a plain click navigates, any other opens its address as usual. */
@Directive({
  selector: 'a[pbLink]',
  host: { '[attr.href]': 'address()', '(click)': 'follow($event)' },
})
export class LinkDirective {
  readonly pbLink = input.required<string>();
  /** A plain click has navigated. */
  readonly followed = output();
  readonly #navigator = inject(Navigator);
  protected readonly address = computed(() => this.#navigator.address(this.pbLink()));

  protected follow(click: MouseEvent): void {
    if (click.button || click.ctrlKey || click.metaKey || click.shiftKey || click.altKey) return;
    click.preventDefault();
    this.#navigator.go(this.pbLink());
    this.followed.emit();
  }
}
