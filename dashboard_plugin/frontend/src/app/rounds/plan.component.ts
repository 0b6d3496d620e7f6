import { Component, computed, input } from '@angular/core';
import { ClassWear, Plan } from '../../generated/types';
import { duration, percent, short, size } from '../core/format';
import { loadText } from './load/load-facts';
import { FactsComponent } from '../shared/facts.component';
import { partName } from './parts';
import { fill } from '../shared/fill';

const NAMED = 8;

/** What a round would do, before it does. */
@Component({
  selector: 'pb-plan',
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
      { name: 'OSDs', text: named(plan.targets) },
      plan.load
        ? { name: 'Load', text: loadText(plan.load) }
        : {
            name: 'Waves',
            text: fill(
              '{waves|wave|waves} × {repeats|repeat|repeats}, up to {most|OSD|OSDs} at once',
              waves,
            ),
          },
      ...(plan.phases.length > 1 ? [{ name: 'Phases', text: this.#parts(plan) }] : []),
      ...(plan.load?.saturates ? [] : [{ name: 'Samples', text: String(plan.samples) }]),
      { name: 'Takes about', text: fill('{time} (by {basis})', time) },
      { name: 'Writes', text: fill('{bytes}, {each} to each OSD', bytes) },
      ...(plan.max_repeats > plan.repeats
        ? [
            {
              name: 'At the most',
              text: `${fill('{repeats|repeat|repeats} if the figures are not precise enough: {time}, {each} to each OSD', further)}, ${size(plan.most_bytes)} in all`,
            },
          ]
        : []),
      ...plan.wear.map((wear) => ({ name: 'Wear', text: this.#wear(wear) })),
      { name: 'Paused meanwhile', text: this.#held(plan) },
    ];
  });

  /** What the round changes while it runs, and until when. */
  #held(plan: Plan): string {
    if (!plan.holds) return 'Not known: the settings cannot be read now.';
    if (!plan.holds.length) return 'none';
    const until = `at the latest after ${duration(plan.held_seconds)}`;
    const settings = plan.holds.map(({ what, was, want }) => {
      const [before, now] = [was, want].map((value) => value ?? 'not set');
      return `${what} ${String(before)} → ${String(now)}`;
    });
    const quiesce = `${settings.join(', ')} (${until})`;
    return `${quiesce}; restored at the end in any case`;
  }

  /** Wear of one device class: what is known, and what is not. */
  #wear(wear: ClassWear): string {
    const class_ = wear.class ?? 'no class';
    const part = (
      value: number | null,
      text: string,
      more: Readonly<Record<string, string>> = {},
    ) =>
      value === null ? '' : fill(text, { percent: percent(value, value < 10 ? 2 : 0), ...more });
    const parts = [
      part(wear.full_write_percent, 'at most {percent} of one full write of a device'),
      wear.sizes_unknown
        ? fill('size not known for {count|OSD|OSDs}', { count: wear.sizes_unknown })
        : '',
      part(
        wear.rated_day_percent,
        '{percent} of a day’s writes at a rating of {writes} drive writes a day',
        {
          writes: short(wear.rated_writes_per_day),
        },
      ),
      part(wear.budget_percent, 'with the last 24 h {percent} of the budget of {bytes} a day', {
        bytes: size(wear.budget_bytes),
      }) || 'what rounds wrote in the last 24 h is not known',
      part(wear.used_percent, 'drives report up to {percent} of their rated endurance as used'),
      wear.used_unknown
        ? fill('used endurance not known for {count|OSD|OSDs}', { count: wear.used_unknown })
        : '',
    ];
    const head = fill('{class} ({osds|OSD|OSDs})', { class: class_, osds: wear.osds });
    return `${head}: ${parts.filter(Boolean).join('; ')}`;
  }

  /** "alone, before (2 OSDs); all together (8 OSDs); 20 min rest; …": each part once. */
  #parts({ phases }: Plan): string {
    const first = phases.filter(
      ({ part }, index) => phases.findIndex((one) => one.part === part) === index,
    );
    return first
      .flatMap(({ part, name, rest_seconds: rest, waves }) => {
        const count = new Set(waves.flat()).size;
        const osds = `${partName(part || name)} (${fill('{count|OSD|OSDs}', { count })})`;
        return rest ? [`${duration(rest)} rest`, osds] : [osds];
      })
      .join('; ');
  }
}

function named(targets: readonly string[]): string {
  const some = targets.slice(0, NAMED).join(', ');
  return `${targets.length}: ${some}${targets.length > NAMED ? ', …' : ''}`;
}
