import { Component, computed, inject, input, output } from '@angular/core';
import { Schedule } from '../../generated/types';
import { HostSettings } from '../core/host-settings';
import { TimeComponent } from '../shared/time.component';
import { LinkDirective } from '../shared/link.directive';
import { stateText } from '../shared/state-badge.component';
import { whatText, whenText } from './schedule-words';
import { fill } from '../shared/fill';

/** One schedule: what and when, its next runs, what became of the last one. */
@Component({
  selector: 'pb-schedule',
  imports: [LinkDirective, TimeComponent],
  host: { class: 'pb-schedule' },
  templateUrl: './schedule-item.component.html',
})
export class ScheduleItemComponent {
  readonly schedule = input.required<Schedule>();
  /** Something is being done to it. */
  readonly busy = input(false);
  /** It shall pause, or go on. */
  readonly toggled = output();
  readonly removed = output();
  protected readonly host = inject(HostSettings);
  protected readonly fill = fill;
  protected readonly what = computed(() => whatText(this.schedule()));
  protected readonly when = computed(() => whenText(this.schedule()));
  /** What became of the last run: why there was none, or the round's verdict. */
  protected readonly result = computed(() => {
    const { last_result: word } = this.schedule();
    return word === null ? '' : stateText(word);
  });
}
