import { ChangeDetectionStrategy, Component, input } from '@angular/core';
import { translator } from '../i18n/i18n';
import { CommandComponent } from '../shared/command.component';

/** Nothing is known, because no host has told: what to type so that they do. */
@Component({
  selector: 'pb-tell',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [CommandComponent],
  template: `
    <p class="pb-empty">{{ what() }}</p>
    <p>{{ t('tell.push') }}</p>
    <pb-command text="ceph-perf-bench facts --push" />
    <p>{{ t('tell.import') }}</p>
    <pb-command text="ceph perf-bench host import HOST -i FACTS.json" />
  `,
})
export class TellComponent {
  readonly what = input.required<string>();
  protected readonly t = translator();
}
