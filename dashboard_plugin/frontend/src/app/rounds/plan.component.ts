import { ChangeDetectionStrategy, Component, computed, input } from '@angular/core';
import { Plan } from '../../generated/types';
import { duration, size } from '../core/format';
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
        @for (note of plan().notes; track note) {
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
    const quiesce = plan.quiesce.join(', ');
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
        ? [{ name: this.t('start.plan.most'), text: this.t('start.plan.most.text', further) }]
        : []),
      {
        name: this.t('start.plan.quiesce'),
        text: quiesce ? this.t('start.plan.quiesce.text', { quiesce }) : this.t('common.none'),
      },
    ];
  });

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
