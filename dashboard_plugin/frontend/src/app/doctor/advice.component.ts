import { Component, computed, input } from '@angular/core';
import { Advice } from '../../generated/types';
import { Shown, evidenceOf, osdsOf } from '../shared/evidence';
import { EvidenceComponent } from '../shared/evidence.component';
import { PIECES } from '../shared/pieces';

/** One piece of advice: what is, why it matters, what mends it, where that is known from. */
@Component({
  selector: 'pb-advice',
  imports: [PIECES, EvidenceComponent],
  host: { class: 'pb-finding pb-advice' },
  template: `
    <pb-state [word]="advice().severity" />
    <div>
      <h3><pb-target [target]="advice().target" /></h3>
      <p>{{ advice().message }}</p>
      <pb-command [text]="advice().fix" />
      <details class="pb-advice__more">
        <summary>Evidence and source</summary>
        <pb-evidence [value]="evidence()" />
        <dl class="pb-facts">
          <dt>Source</dt>
          <dd>{{ advice().source }}</dd>
          <dt>Kind</dt>
          <dd>{{ advice().code }}</dd>
        </dl>
      </details>
    </div>
  `,
})
export class AdviceComponent {
  readonly advice = input.required<Advice>();
  protected readonly evidence = computed((): Shown => {
    const { evidence, osds } = this.advice();
    const facts = evidenceOf({ ...evidence, osds: null });
    const name = `OSDs (${osds.length})`;
    return { as: 'facts', facts: osds.length ? [...facts, { name, value: osdsOf(osds) }] : facts };
  });
}
