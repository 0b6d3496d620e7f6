import {
  Component,
  DestroyRef,
  ElementRef,
  afterNextRender,
  computed,
  effect,
  inject,
  input,
  output,
  signal,
  untracked,
  viewChild,
} from '@angular/core';
import { palette } from '../charts/palette';
import { HostSettings } from '../core/host-settings';
import { Group } from './grouping';
import { Painted } from './layers';
import {
  Direction,
  Place,
  SIZES,
  firstPlace,
  fittingSize,
  hit,
  layOut,
  neighbour,
  placeOf,
} from './layout';
import { MapData } from './map-data';
import { View, draw, drawCursor } from './painter';

const LOWEST = 320;
const HIGHEST = 900;
/** Of the window's height. */
const SHARE = 0.72;

const KEYS: Readonly<Record<string, Direction>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

/** The map itself: a canvas as large as the view, in a box that scrolls over the whole of it. */
@Component({
  selector: 'pb-heat-map',
  templateUrl: './heat-map.component.html',
})
export class HeatMapComponent {
  readonly data = input.required<MapData>();
  readonly groups = input.required<readonly Group[]>();
  readonly painted = input.required<Painted>();
  readonly only = input<number | null>(null);
  /** Rows that are outlined, and scrolled to when they change. */
  readonly marked = input<readonly number[]>([]);
  readonly label = input.required<string>();
  /** An OSD in words, for the tooltip and for screen readers; by its row. */
  readonly words = input.required<(row: number) => string>();
  readonly names = input.required<(name: string) => string>();
  /** An OSD's figure on this layer, for cells with room for it; by its row. */
  readonly values = input<(row: number) => string>(() => '');
  readonly opened = output<number>();

  readonly #host = inject(HostSettings);
  readonly #colours = computed(() => palette(this.#host.dark()));
  private readonly scroller = viewChild.required<ElementRef<HTMLElement>>('scroller');
  private readonly map = viewChild.required<ElementRef<HTMLCanvasElement>>('map');
  private readonly frame = viewChild.required<ElementRef<HTMLCanvasElement>>('frame');

  protected readonly view = signal<View>({ top: 0, width: 0, height: 0, ratio: 1 });
  /** What the user zoomed to; null: what fits. */
  readonly #zoom = signal<number | null>(null);
  /** How high the map may become; past this it scrolls. */
  readonly #room = signal(LOWEST);
  readonly #width = computed(() => this.view().width);
  readonly #fit = computed(() => fittingSize(this.groups(), this.#width(), this.#room()));
  readonly #cell = computed(() => this.#zoom() ?? this.#fit());
  protected readonly layout = computed(() => layOut(this.groups(), this.#cell(), this.#width()));
  protected readonly rest = computed(() => Math.max(0, this.layout().height - this.view().height));
  protected readonly height = computed(() => Math.min(this.#room(), this.layout().height + 4));
  readonly #cursor = signal<number | null>(null);
  readonly #place = computed(() => {
    const row = this.#cursor();
    return row === null ? null : placeOf(this.layout(), row);
  });
  protected readonly tip = computed(() => {
    const place = this.#place();
    if (!place) return null;
    const [{ top, width }, { cell }] = [this.view(), this.layout()];
    const right = place.x > width / 2;
    return {
      text: this.words()(place.row),
      top: place.y - top + cell + 6,
      left: right ? null : place.x,
      right: right ? width - place.x - cell : null,
    };
  });
  protected readonly smallest = computed(() => this.#cell() <= (SIZES[0] ?? 0));
  protected readonly largest = computed(() => this.#cell() >= (SIZES.at(-1) ?? 0));

  constructor() {
    const watch = new ResizeObserver(() => this.measure());
    afterNextRender(() => watch.observe(this.scroller().nativeElement));
    inject(DestroyRef).onDestroy(() => watch.disconnect());
    effect(() => this.#draw());
    effect(() => this.#drawCursor());
    effect(() => this.#showMarked());
  }

  protected measure(): void {
    const {
      clientWidth: width,
      clientHeight: height,
      scrollTop: top,
    } = this.scroller().nativeElement;
    this.#room.set(Math.max(LOWEST, Math.min(HIGHEST, globalThis.innerHeight * SHARE)));
    this.view.set({ top, width, height, ratio: globalThis.devicePixelRatio || 1 });
  }

  protected zoom(steps: number, anchor: number | null = this.#cursor()): void {
    const index = SIZES.findIndex((size) => size >= this.#cell()) + steps;
    const size = SIZES[Math.max(0, Math.min(SIZES.length - 1, index))] ?? null;
    const before = anchor === null ? null : placeOf(this.layout(), anchor);
    this.#zoom.set(size);
    const after = anchor === null ? null : placeOf(this.layout(), anchor);
    // What one looks at stays where it is, once the spacer has its new height.
    if (before && after) this.#scrollSoon(this.view().top + after.y - before.y);
  }

  protected fit(): void {
    this.#zoom.set(null);
  }

  protected point(event: PointerEvent): void {
    this.#cursor.set(this.#at(event)?.row ?? null);
  }

  protected leave(): void {
    this.#cursor.set(null);
  }

  protected press(event: MouseEvent): void {
    const row = this.#at(event)?.row;
    if (row !== undefined) this.opened.emit(row);
  }

  protected wheel(event: WheelEvent): void {
    if (!event.ctrlKey) return;
    event.preventDefault();
    this.zoom(event.deltaY < 0 ? 1 : -1, this.#at(event)?.row ?? null);
  }

  protected key(event: KeyboardEvent): void {
    const row = this.#cursor();
    const direction = KEYS[event.key];
    if (direction) this.#move(direction);
    else if (event.key === '+') this.zoom(1);
    else if (event.key === '-') this.zoom(-1);
    else if (event.key === '0') this.fit();
    else if (event.key === 'Enter' && row !== null) this.opened.emit(row);
    else return;
    event.preventDefault();
  }

  #move(direction: Direction): void {
    const from = this.#place();
    const next = from ? neighbour(this.layout(), from, direction) : firstPlace(this.layout());
    if (!next) return;
    this.#cursor.set(next.row);
    const { top, height } = this.view();
    const { pitch } = this.layout();
    if (next.y < top + pitch) this.#scrollSoon(next.y - 2 * pitch);
    else if (next.y > top + height - 2 * pitch) this.#scrollSoon(next.y - height + 3 * pitch);
  }

  #showMarked(): void {
    const [first] = this.marked();
    if (first === undefined || !this.#width()) return;
    const place = placeOf(untracked(this.layout), first);
    const { height } = untracked(this.view);
    if (place) this.#scrollSoon(place.y - height / 3);
  }

  #scrollSoon(top: number): void {
    requestAnimationFrame(() => this.scroller().nativeElement.scrollTo({ top }));
  }

  #at(event: MouseEvent): Place | null {
    const box = this.map().nativeElement.getBoundingClientRect();
    const top = untracked(this.view).top;
    return hit(this.layout(), event.clientX - box.left, event.clientY - box.top + top);
  }

  #draw(): void {
    const view = this.view();
    const context = sized(this.map().nativeElement, view);
    if (!context || !view.width) return;
    draw(
      context,
      {
        layout: this.layout(),
        data: this.data(),
        painted: this.painted(),
        colours: this.#colours(),
        names: this.names(),
        values: this.values(),
        only: this.only(),
      },
      view,
    );
  }

  #drawCursor(): void {
    const view = this.view();
    const context = sized(this.frame().nativeElement, view);
    if (!context) return;
    const layout = this.layout();
    const marked = this.marked().flatMap((row) => placeOf(layout, row) ?? []);
    drawCursor(context, layout.cell, this.#place(), marked, this.#colours(), view);
  }
}

/** The canvas with as many pixels as the view; setting a size clears it, so only when it changed. */
function sized(canvas: HTMLCanvasElement, view: View): CanvasRenderingContext2D | null {
  const [width, height] = [view.width, view.height].map((side) => Math.round(side * view.ratio));
  if (canvas.width !== width) canvas.width = width ?? 0;
  if (canvas.height !== height) canvas.height = height ?? 0;
  canvas.style.width = `${view.width}px`;
  canvas.style.height = `${view.height}px`;
  return canvas.getContext('2d');
}
