import { ChangeDetectionStrategy, Component, computed, inject, input } from '@angular/core';
import { HostSettings } from '../core/host-settings';
import { localTime, percent, utcTime } from '../core/format';
import { isSlow } from '../core/slow';
import { RoundState, Verdict } from '../../generated/types';
import { translator } from '../i18n/i18n';

const VERDICT_SIGNS: Readonly<Record<Verdict, string>> = {
  valid: '✓',
  noisy: '≈',
  'too-short': '⏱',
  contaminated: '☣',
  aborted: '■',
  failed: '✕',
};

/** A round's verdict: a sign, a word, and only then a colour. */
@Component({
  selector: 'pb-verdict',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `@if (verdict(); as value) {
      <span class="pb-badge pb-badge--{{ value }}"
        ><span aria-hidden="true">{{ sign() }}</span> {{ text() }}</span
      >
    } @else {
      <span class="pb-badge pb-badge--{{ state() }}">{{ text() }}</span>
    }`,
})
export class VerdictComponent {
  readonly verdict = input.required<Verdict | null>();
  readonly state = input<RoundState>('done');
  readonly #t = translator();
  protected readonly sign = computed(() => VERDICT_SIGNS[this.verdict() ?? 'valid']);
  protected readonly text = computed(() => {
    const verdict = this.verdict();
    return verdict ? this.#t(`verdict.${verdict}`) : this.#t(`round-state.${this.state()}`);
  });
}

/** A moment in local time with its zone; UTC on hover. */
@Component({
  selector: 'pb-time',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `<time [attr.datetime]="at()" [title]="utc()">{{ local() }}</time>`,
})
export class TimeComponent {
  readonly at = input.required<string | null | undefined>();
  readonly #host = inject(HostSettings);
  readonly #t = translator();
  protected readonly local = computed(() => localTime(this.at(), this.#host.locale()));
  protected readonly utc = computed(() =>
    this.at() ? this.#t('common.utc', { time: utcTime(this.at()) }) : '',
  );
}

/** Percent of peers, with a sign where it is slow. */
@Component({
  selector: 'pb-peers',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `@if (slow()) {
      <span class="pb-slow"><span aria-hidden="true">▼</span> {{ text() }}</span
      ><span class="pb-hidden">{{ t('common.slower') }}</span>
    } @else {
      {{ text() }}
    }`,
})
export class PeersComponent {
  readonly value = input.required<number | null>();
  readonly z = input.required<number | null>();
  protected readonly t = translator();
  protected readonly slow = computed(() =>
    isSlow({ percent_of_peers: this.value(), robust_z: this.z() }),
  );
  protected readonly text = computed(() => percent(this.value()));
}
