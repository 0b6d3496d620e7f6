import { Component, computed, inject } from '@angular/core';
import { liveGet } from '../core/api';
import { tick } from '../core/format';
import { HostSettings } from '../core/host-settings';
import { AnswerComponent } from '../shared/answer.component';
import { LinkDirective } from '../shared/link.directive';
import { runsOf, timesOf } from './strip';

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

/** Which OSDs stood out when in the last 24 h. */
@Component({
  selector: 'pb-strip',
  imports: [AnswerComponent, LinkDirective],
  templateUrl: './strip.component.html',
})
export class StripComponent {
  readonly #host = inject(HostSettings);
  protected readonly words = WORDS;
  protected readonly live = liveGet('cluster/strip', POLL_MS);
  protected readonly rows = computed(() =>
    (this.live.value()?.rows ?? []).map((row) => ({ ...row, runs: runsOf(row) })),
  );
  protected readonly times = computed(() => {
    const strip = this.live.value();
    return strip ? timesOf(strip, TIMES).map((at) => tick(at)) : [];
  });
  protected readonly colours = computed(() => COLOURS[this.#host.dark() ? 'dark' : 'light']);
  protected readonly legend = computed(() =>
    LEVELS.map((level) => ({ colour: this.colours()[level], word: WORDS[level] })),
  );
}
