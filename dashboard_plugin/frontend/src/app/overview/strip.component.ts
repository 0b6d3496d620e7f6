import { Component, computed, inject, signal } from '@angular/core';
import { ClusterInterval, IntervalDifference } from '../../generated/types';
import { Api, liveGet } from '../core/api';
import { channelText } from '../core/channels';
import { duration, milliseconds, share, stamp, tick } from '../core/format';
import { HostSettings } from '../core/host-settings';
import { live } from '../core/live';
import { AnswerComponent } from '../shared/answer.component';
import { EventsComponent } from '../shared/events.component';
import { LinkDirective } from '../shared/link.directive';
import { rateText, writtenRate } from './cluster-charts';
import { ROWS, StripRow, columnAt, columnTime, loudness, runsOf, worstFirst } from './strip';
import { fill } from '../shared/fill';

const POLL_MS = 120_000;
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
  protected readonly words = WORDS;
  /** Where the chosen column begins, in unix seconds: the columns move on. */
  readonly #chosen = signal<number | null>(null);
  protected readonly column = computed(() => {
    const [strip, begin] = [this.live.value(), this.#chosen()];
    return strip && begin !== null ? columnAt(strip, begin) : null;
  });
  protected readonly live = liveGet('cluster/strip', POLL_MS);
  protected readonly interval = live((signal) => this.#ask(this.column(), signal));
  protected readonly last = computed(() => (this.live.value()?.rows[0]?.cells.length ?? 1) - 1);
  readonly #sorted = computed(() => worstFirst(this.live.value()?.rows ?? []));
  /** The rows that stood out most. */
  protected readonly rows = computed(() =>
    this.#sorted()
      .slice(0, ROWS)
      .map((row) => ({ ...row, runs: runsOf(row) })),
  );
  protected readonly loud = computed(
    () => this.#sorted().filter((row) => loudness(row) > 0).length,
  );
  protected readonly loudLeft = computed(
    () => Math.max(0, this.loud() - ROWS) + (this.live.value()?.loud_left_out ?? 0),
  );
  protected readonly calmLeft = computed(() => {
    const { left_out: left = 0, loud_left_out: loud = 0 } = this.live.value() ?? {};
    return Math.max(0, this.#sorted().length - Math.max(ROWS, this.loud())) + left - loud;
  });
  /** Whether there is data of anything. */
  protected readonly known = computed(
    () => this.live.value()?.rows.some(({ cells }) => /\d/.test(cells)) ?? false,
  );
  protected readonly label = computed(() => {
    return fill(
      '{rows|row|rows} over 24 hours, {loud} of them stood out. Arrow keys choose a time.',
      { rows: this.#sorted().length, loud: this.loud() },
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
  protected readonly colours = computed(() => COLOURS[this.#host.dark() ? 'dark' : 'light']);
  protected readonly legend = computed(() =>
    LEVELS.map((level) => ({ colour: this.colours()[level], word: WORDS[level] })),
  );

  protected choose(column: number | null): void {
    const strip = this.live.value();
    this.#chosen.set(strip && column !== null ? columnTime(strip, column)[0] : null);
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
      return `${channelText(name)} of the median OSD: ${milliseconds(value)} ms, usually ${milliseconds(usual)} ms`;
    }
    return `${rateText(name)}: ${writtenRate(name, value)}, usually ${writtenRate(name, usual)}`;
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
    const [begin, end] = columnTime(strip, column);
    return this.#api.get('cluster/interval', { begin, end }, signal);
  }
}
