import {
  Component,
  DestroyRef,
  ElementRef,
  computed,
  effect,
  inject,
  signal,
  viewChild,
} from '@angular/core';
import { ClusterInterval, IntervalDifference } from '../../generated/types';
import { palette } from '../charts/palette';
import { Api } from '../core/api';
import { CHANNELS } from '../core/channels';
import { duration, milliseconds, share, stamp, tick } from '../core/format';
import { HostSettings } from '../core/host-settings';
import { live } from '../core/live';
import { AnswerComponent } from '../shared/answer.component';
import { EventsComponent } from '../shared/events.component';
import { LinkDirective } from '../shared/link.directive';
import { rateKey, writtenRate } from './cluster-charts';
import { StripRow, columnAt, columnTime, drawStrip, loudness, worstRows } from './strip';
import { fill } from '../shared/fill';
import { TEXTS } from '../shared/words';

const POLL_MS = 120_000;
const [LOWEST, HIGHEST, ROW] = [48, 260, 14];
/** Light grey for calm, and orange that darkens: apart in brightness, too. */
const COLOURS = {
  light: { '-': '#ffffff', '0': '#dfe3e8', '1': '#fdc692', '2': '#f16913', '3': '#7f2704' },
  dark: { '-': '#1c2329', '0': '#3a444e', '1': '#8a5a34', '2': '#e0661a', '3': '#ffd0a8' },
} as const;
const LEVELS = ['-', '0', '1', '2', '3'] as const;
const WORDS: Readonly<Record<(typeof LEVELS)[number], string>> = {
  '-': 'no data',
  '0': 'nothing stood out',
  '1': 'a little',
  '2': 'over 10 % of the time',
  '3': 'over half of the time',
};
/** Times below the strip. */
const TIMES = 5;

/** All OSDs over 24 h: who stood out when, and of a chosen time what was different. */
@Component({
  selector: 'pb-strip',
  imports: [AnswerComponent, EventsComponent, LinkDirective],
  templateUrl: './strip.component.html',
})
export class StripComponent {
  readonly #api = inject(Api);
  readonly #host = inject(HostSettings);
  protected readonly fill = fill;
  private readonly box = viewChild<ElementRef<HTMLElement>>('box');
  private readonly canvas = viewChild<ElementRef<HTMLCanvasElement>>('canvas');
  readonly #width = signal(0);
  /** Where the chosen column begins, in unix seconds: the columns move on. */
  readonly #chosen = signal<number | null>(null);
  protected readonly column = computed(() => {
    const [strip, begin] = [this.live.value(), this.#chosen()];
    return strip && begin !== null ? columnAt(strip, begin) : null;
  });
  protected readonly live = live((signal) => this.#api.clusterStrip(signal), {
    every: () => POLL_MS,
    keep: true,
    remember: () => 'strip',
  });
  protected readonly interval = live((signal) => this.#ask(this.column(), signal));
  protected readonly last = computed(() => (this.live.value()?.rows[0]?.cells.length ?? 1) - 1);
  protected readonly height = computed(() => {
    const rows = this.live.value()?.rows.length ?? 0;
    return Math.max(LOWEST, Math.min(HIGHEST, ROW * rows));
  });
  protected readonly worst = computed(() => {
    const strip = this.live.value();
    return strip ? worstRows(strip) : [];
  });
  /** Whether there is data of anything. */
  protected readonly known = computed(
    () => this.live.value()?.rows.some(({ cells }) => /\d/.test(cells)) ?? false,
  );
  protected readonly label = computed(() => {
    const rows = this.live.value()?.rows ?? [];
    const loud = rows.filter((row) => loudness(row) > 0).length;
    return fill(
      '{rows|row|rows} over 24 hours, {loud} of them stood out. Arrow keys choose a time.',
      { rows: rows.length, loud },
    );
  });
  protected readonly heading = computed(() => {
    const [from, to] = this.#times(this.column());
    return `What was different, ${from} to ${to}`;
  });
  protected readonly columnWords = computed(() => {
    const column = this.column();
    return column === null ? '' : this.#times(column).join(' – ');
  });
  protected readonly times = computed(() => {
    const strip = this.live.value();
    if (!strip) return [];
    return Array.from({ length: TIMES }, (_, index) => {
      const column = Math.round((index * this.last()) / (TIMES - 1));
      return tick(1000 * columnTime(strip, column)[0]);
    });
  });
  readonly #colours = computed(() => COLOURS[this.#host.dark() ? 'dark' : 'light']);
  protected readonly legend = computed(() =>
    LEVELS.map((level) => ({ colour: this.#colours()[level], word: WORDS[level] })),
  );

  constructor() {
    const resize = new ResizeObserver(() =>
      this.#width.set(this.box()?.nativeElement.clientWidth ?? 0),
    );
    effect(() => {
      const box = this.box()?.nativeElement;
      resize.disconnect();
      if (box) resize.observe(box);
    });
    inject(DestroyRef).onDestroy(() => resize.disconnect());
    effect(() => this.#draw());
  }

  protected press(event: MouseEvent): void {
    const box = this.box()?.nativeElement.getBoundingClientRect();
    if (!box?.width) return;
    const column = Math.floor(((event.clientX - box.left) / box.width) * (this.last() + 1));
    this.choose(column);
  }

  protected choose(column: number | null): void {
    const strip = this.live.value();
    const near = Math.max(0, Math.min(this.last(), column ?? 0));
    this.#chosen.set(strip && column !== null ? columnTime(strip, near)[0] : null);
  }

  protected key(event: KeyboardEvent): void {
    const now = this.column() ?? this.last() + 1;
    const steps = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: this.last() };
    const next = (steps as Readonly<Record<string, number>>)[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.choose(next);
  }

  protected way(row: StripRow): string {
    return this.live.value()?.rows_are === 'host'
      ? `/hosts/${encodeURIComponent(row.name)}`
      : `/osds/${row.name.slice('osd.'.length)}`;
  }

  protected wayTo({ kind, name }: IntervalDifference): string | null {
    if (kind === 'host') return `/hosts/${encodeURIComponent(name)}`;
    return kind === 'osd' ? `/osds/${name}` : null;
  }

  protected sentence(one: IntervalDifference): string {
    const { kind, name, value, usual } = one;
    if (kind === 'osd') {
      const host = one.host ?? '–';
      const told = { name, host, value: duration(value), share: share(one.share, 0) };
      return fill('osd.{name} on {host}: slow for {value} ({share} of the time)', told);
    }
    if (kind === 'host')
      return `host ${name}: ${value} of ${usual ?? '–'} OSDs slow against their peers`;
    if (kind === 'latency') {
      const channel = CHANNELS.find((known) => known === name);
      return `${channel ? TEXTS[`channel.${channel}`] : name} of the median OSD: ${milliseconds(value)} ms, usually ${milliseconds(usual)} ms`;
    }
    const key = rateKey(name);
    return `${key ? TEXTS[key] : name}: ${writtenRate(name, value)}, usually ${writtenRate(name, usual)}`;
  }

  #times(column: number | null): readonly [string, string] {
    const strip = this.live.value();
    if (!strip || column === null) return ['', ''];
    const [begin, end] = columnTime(strip, column);
    return [stamp(1000 * begin), stamp(1000 * end)];
  }

  #ask(column: number | null, signal: AbortSignal): Promise<ClusterInterval> {
    const strip = this.live.value();
    // No answer, ever, while nothing is chosen.
    if (!strip || column === null) return new Promise(() => undefined);
    return this.#api.clusterInterval(...columnTime(strip, column), signal);
  }

  #draw(): void {
    const [strip, canvas, width] = [this.live.value(), this.canvas()?.nativeElement, this.#width()];
    const height = this.height();
    if (!strip || !canvas || !width) return;
    const ratio = globalThis.devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const context = canvas.getContext('2d');
    if (!context) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawStrip(context, {
      strip,
      width,
      height,
      column: this.column(),
      colours: this.#colours(),
      cursor: palette(this.#host.dark()).text,
    });
  }
}
