import { ChangeDetectionStrategy, Component, computed, input } from '@angular/core';
import { ClassWear, ClientImpact, Plan } from '../../generated/types';
import { duration, milliseconds, percent, short, size } from '../core/format';
import { Key } from '../i18n/en';
import { translator } from '../i18n/i18n';
import { loadText } from './load/load-facts';
import { FactsComponent } from '../shared/facts.component';
import { partName } from './parts';

const NAMED = 8;

/** What a round would do, before it does. */
@Component({
  selector: 'pb-plan',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [FactsComponent],
  template: `
    <pb-facts [facts]="facts()" />
    @if (plan().notes.length) {
      <ul class="pb-list">
        @for (note of plan().notes; track $index) {
          <li>{{ note }}</li>
        }
      </ul>
    }
  `,
})
export class PlanComponent {
  readonly plan = input.required<Plan>();
  protected readonly t = translator();

  protected readonly facts = computed(() => {
    const plan = this.plan();
    const most = Math.max(0, ...plan.waves.map((wave) => wave.length));
    const waves = { waves: plan.waves.length, repeats: plan.repeats, most };
    const time = { time: duration(plan.seconds), basis: plan.seconds_basis };
    const bytes = { bytes: size(plan.bytes), each: size(plan.bytes_per_osd) };
    const further = {
      repeats: plan.max_repeats,
      time: duration(plan.most_seconds),
      each: size(plan.most_bytes_per_osd),
    };
    return [
      { name: this.t('start.plan.osds'), text: named(plan.targets) },
      plan.load
        ? { name: this.t('load.load'), text: loadText(plan.load, this.t) }
        : { name: this.t('start.plan.waves'), text: this.t('start.plan.waves.text', waves) },
      ...(plan.phases.length > 1
        ? [{ name: this.t('start.plan.parts'), text: this.#parts(plan) }]
        : []),
      ...(plan.load?.saturates
        ? []
        : [{ name: this.t('start.plan.samples'), text: String(plan.samples) }]),
      { name: this.t('start.plan.time'), text: this.t('start.plan.time.text', time) },
      { name: this.t('start.plan.bytes'), text: this.t('start.plan.bytes.text', bytes) },
      ...(plan.max_repeats > plan.repeats
        ? [
            {
              name: this.t('start.plan.most'),
              text: `${this.t('start.plan.most.text', further)}, ${this.t('start.most-bytes', { bytes: size(plan.most_bytes) })}`,
            },
          ]
        : []),
      ...plan.wear.map((wear) => ({ name: this.t('start.wear'), text: this.#wear(wear) })),
      ...this.#clients(plan.clients).map((text) => ({ name: this.t('start.felt'), text })),
      { name: this.t('start.plan.quiesce'), text: this.#held(plan) },
    ];
  });

  /** What the round changes while it runs, and until when. */
  #held(plan: Plan): string {
    if (!plan.holds) return this.t('start.holds.unknown');
    if (!plan.holds.length) return this.t('common.none');
    const until = this.t('start.holds.until', { time: duration(plan.held_seconds) });
    const settings = plan.holds.map(({ what, was, want }) => {
      const [before, now] = [was, want].map((value) => value ?? this.t('quiesce.not-set'));
      return `${what} ${this.t('compare.was', { was: String(before), now: String(now) })}`;
    });
    const quiesce = `${settings.join(', ')} (${until})`;
    return this.t('start.plan.quiesce.text', { quiesce });
  }

  /** Wear of one device class: what is known, and what is not. */
  #wear(wear: ClassWear): string {
    const class_ = wear.class ?? this.t('map.no-class');
    const part = (value: number | null, key: Key, more: Readonly<Record<string, string>> = {}) =>
      value === null ? '' : this.t(key, { percent: percent(value, value < 10 ? 2 : 0), ...more });
    const parts = [
      part(wear.full_write_percent, 'start.wear.full'),
      wear.sizes_unknown ? this.t('start.wear.unsized', { count: wear.sizes_unknown }) : '',
      part(wear.rated_day_percent, 'start.wear.rated', {
        writes: short(wear.rated_writes_per_day),
      }),
      part(wear.budget_percent, 'start.wear.budget', { bytes: size(wear.budget_bytes) }) ||
        this.t('start.wear.budget.unknown'),
      part(wear.used_percent, 'start.wear.used'),
      wear.used_unknown ? this.t('start.wear.unused', { count: wear.used_unknown }) : '',
    ];
    const head = this.t('start.wear.class', { class: class_, osds: wear.osds });
    return `${head}: ${parts.filter(Boolean).join('; ')}`;
  }

  /** What clients felt of the last comparable rounds, or why that is not known. */
  #clients({ state, rounds }: ClientImpact): readonly string[] {
    if (state !== 'known') return [this.t(`start.felt.${state}`)];
    return rounds.map((felt) =>
      this.t('start.felt.known', {
        id: felt.round,
        before: milliseconds(felt.before_ms),
        median: milliseconds(felt.median_ms),
        highest: milliseconds(felt.highest_ms),
        times: short(felt.times, 2),
      }),
    );
  }

  /** "alone, before (2 OSDs); all together (8 OSDs); 20 min rest; …": each part once. */
  #parts({ phases }: Plan): string {
    const first = phases.filter(
      ({ part }, index) => phases.findIndex((one) => one.part === part) === index,
    );
    return first
      .flatMap(({ part, name, rest_seconds: rest, waves }) => {
        const count = new Set(waves.flat()).size;
        const osds = `${partName(part || name, this.t)} (${this.t('common.osds', { count })})`;
        return rest ? [this.t('start.plan.rest', { time: duration(rest) }), osds] : [osds];
      })
      .join('; ');
  }
}

function named(targets: readonly string[]): string {
  const some = targets.slice(0, NAMED).join(', ');
  return `${targets.length}: ${some}${targets.length > NAMED ? ', …' : ''}`;
}
