import { Component, computed, inject, input, model } from '@angular/core';
import { percent } from '../core/format';
import { Pulse } from '../core/pulse';
import { Layer, NO_DATA, Painted, SLOW, SUSPECT, boundText } from './layers';
import { MapData } from './map-data';

/** What the colours mean, and how many OSDs have each; a press lets only these stand out. */
@Component({
  selector: 'pb-legend',
  template: `
    <div class="pb-legend" role="group" attr.aria-label="Legend: {{ layer().title }}">
      @for (entry of entries(); track entry.class) {
        <button
          type="button"
          class="pb-legend__entry"
          [attr.aria-pressed]="only() === entry.class"
          title="Show only these"
          (click)="only.set(only() === entry.class ? null : entry.class)"
        >
          <span
            class="pb-legend__swatch"
            [class.pb-legend__swatch--none]="!entry.colour"
            [style.background-color]="entry.colour"
          ></span>
          {{ entry.text }} <span class="pb-quiet">{{ entry.count }}</span>
        </button>
      }
      @if (slow(); as count) {
        <span class="pb-legend__sign"
          ><span aria-hidden="true">▼</span>
          {{ slowText() }}
          <span class="pb-quiet">{{ count }}</span></span
        >
      }
      @if (suspect(); as count) {
        <span class="pb-legend__sign"
          ><span aria-hidden="true">○</span> suspect <span class="pb-quiet">{{ count }}</span></span
        >
      }
      @if (down(); as count) {
        <span class="pb-legend__sign"
          ><span aria-hidden="true">✕</span> down <span class="pb-quiet">{{ count }}</span></span
        >
      }
    </div>
  `,
})
export class LegendComponent {
  readonly layer = input.required<Layer>();
  readonly painted = input.required<Painted>();
  readonly data = input.required<MapData>();
  readonly only = model<number | null>(null);
  readonly #pulse = inject(Pulse);
  protected readonly slowText = computed(() =>
    this.layer().of === 'watch'
      ? 'slow against its peers'
      : `slow (${percent(this.#pulse.limits()?.slow_percent)} of its peers or less)`,
  );
  protected readonly slow = computed(() => this.#marked(SLOW));
  protected readonly suspect = computed(() => this.#marked(SUSPECT));
  protected readonly down = computed(() => this.data().up.filter((up) => !up).length);
  protected readonly entries = computed(() => {
    const { bounds, colours, counts } = this.painted();
    const known = counts.reduce((sum, count) => sum + count, 0);
    const classes = bounds.length === 0 ? [] : counts;
    const list = classes.map((count, index) => ({
      class: index,
      colour: colours[index] ?? null,
      count,
      text: this.#text(index, bounds),
    }));
    const none = this.data().count - known;
    if (none === 0) return list;
    const text = 'no data';
    return [...list, { class: NO_DATA, colour: null, count: none, text }];
  });

  /** How many have a mark that no colour stands for. */
  #marked(mark: number): number {
    if (this.layer().verdicts) return 0;
    return this.painted().marks.filter((one) => one === mark).length;
  }

  #text(index: number, bounds: readonly number[]): string {
    const { unit } = this.layer();
    if (index > bounds.length)
      return ['○ suspect', '▼ slow against its peers'][index - bounds.length - 1] ?? '';
    const [from, to] = [bounds[index - 1], bounds[index]];
    if (to === undefined) {
      return `${`${boundText(from ?? 0)} ${unit}`.trim()} and more`;
    }
    const end = `${boundText(to)} ${unit}`.trim();
    if (from === undefined) return `below ${end}`;
    return `${boundText(from)} to ${end}`;
  }
}
