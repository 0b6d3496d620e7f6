import {
  Component,
  DestroyRef,
  ElementRef,
  computed,
  effect,
  inject,
  input,
  output,
  signal,
  viewChild,
} from '@angular/core';
import type { EChartsCoreOption, EChartsType } from 'echarts/core';
import { fitted } from './options';

/** A chart; the library comes when the first one shows. `label` says in words what it shows. */
@Component({
  selector: 'pb-chart',
  template: `
    @if (broken()) {
      <p class="pb-notice" role="alert">
        A part of this page could not be loaded: reload the page.
      </p>
    }
    <div
      #box
      class="pb-chart"
      role="img"
      [style.height.px]="height()"
      [attr.aria-label]="label()"
    ></div>
  `,
})
export class ChartComponent {
  readonly option = input.required<EChartsCoreOption>();
  readonly label = input.required<string>();
  /** In pixels. */
  readonly height = input(280);
  /** A point was clicked: the index of its datum, and its series. */
  readonly pick = output<{ series: number; index: number }>();
  protected readonly broken = signal(false);
  private readonly box = viewChild.required<ElementRef<HTMLElement>>('box');
  readonly #chart = signal<EChartsType | null>(null);
  /** In pixels. */
  readonly #width = signal(0);
  readonly #fitted = computed(() => fitted(this.option(), this.#width()));

  constructor() {
    let gone = false;
    const resize = new ResizeObserver(() => this.#fit());
    inject(DestroyRef).onDestroy(() => {
      gone = true;
      resize.disconnect();
      this.#chart()?.dispose();
    });
    effect(() => {
      const option = this.#fitted();
      this.#chart()?.setOption(option, { notMerge: true, lazyUpdate: true });
    });
    queueMicrotask(() => void this.#begin(() => gone, resize));
  }

  /** The observer tells the first size too, which the chart has already: it would draw twice. */
  #fit(): void {
    const [chart, { clientWidth, clientHeight }] = [this.#chart(), this.box().nativeElement];
    if (chart && (chart.getWidth() !== clientWidth || chart.getHeight() !== clientHeight)) {
      chart.resize();
      this.#width.set(clientWidth);
    }
  }

  async #begin(gone: () => boolean, resize: ResizeObserver): Promise<void> {
    try {
      const { init } = await import('./echarts');
      if (gone()) return;
      const box = this.box().nativeElement;
      const chart = init(box, null, { renderer: 'canvas' });
      chart.on('click', ({ seriesIndex, dataIndex }) =>
        this.pick.emit({ series: seriesIndex ?? 0, index: dataIndex }),
      );
      this.#width.set(box.clientWidth);
      resize.observe(box);
      this.#chart.set(chart);
    } catch {
      this.broken.set(true);
    }
  }
}
