import { ChangeDetectionStrategy, Component, computed, input } from '@angular/core';
import { Advice } from '../../generated/types';
import { LISTED, factsOf } from '../findings/evidence';
import { translator } from '../i18n/i18n';
import { CommandComponent } from '../shared/command.component';
import { LinkDirective } from '../shared/link.directive';
import { TargetComponent } from '../shared/target.component';
import { StateBadgeComponent } from '../shared/state-badge.component';

/** One piece of advice: what is, why it matters, what mends it, where that is known from. */
@Component({
  selector: 'pb-advice',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [StateBadgeComponent, CommandComponent, LinkDirective, TargetComponent],
  host: { class: 'pb-finding pb-advice' },
  template: `
    <pb-state [word]="advice().severity" />
    <div>
      <h3><pb-target [target]="advice().target" /></h3>
      <p>{{ advice().message }}</p>
      <pb-command [text]="advice().fix" />
      <details class="pb-advice__more">
        <summary>{{ t('doctor.evidence') }}</summary>
        <dl class="pb-facts">
          @for (fact of facts(); track fact.name) {
            <dt>{{ fact.name }}</dt>
            <dd>{{ fact.text }}</dd>
          }
          @if (osds().length) {
            <dt>{{ t('doctor.osds', { count: advice().osds.length }) }}</dt>
            <dd>
              @for (osd of osds(); track osd) {
                <a [pbLink]="'/osds/' + osd">osd.{{ osd }}</a
                >{{ $last ? '' : ', ' }}
              }
              {{ more() }}
            </dd>
          }
          <dt>{{ t('doctor.source') }}</dt>
          <dd>{{ advice().source }}</dd>
          <dt>{{ t('finding.code') }}</dt>
          <dd>{{ advice().code }}</dd>
        </dl>
      </details>
    </div>
  `,
})
export class AdviceComponent {
  readonly advice = input.required<Advice>();
  protected readonly t = translator();
  protected readonly facts = computed(() =>
    factsOf(this.advice().evidence).filter((fact) => fact.osds.length === 0),
  );
  protected readonly osds = computed(() => this.advice().osds.slice(0, LISTED));
  protected readonly more = computed(() => {
    const more = this.advice().osds.length - LISTED;
    return more > 0 ? `… + ${more}` : '';
  });
}
