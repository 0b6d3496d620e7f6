import {
  Component,
  computed,
  effect,
  inject,
  output,
  signal,
  untracked,
  viewChild,
} from '@angular/core';
import { Api, livePage } from '../core/api';
import { duration } from '../core/format';
import { Pulse } from '../core/pulse';
import { Attempt } from '../core/attempt';
import { AnswerComponent } from '../shared/answer.component';
import { DialogComponent } from '../shared/dialog.component';
import { RefusalComponent } from '../shared/refusal.component';
import { TextFieldComponent } from '../shared/text-field.component';
import { ScheduleFields, ScheduleRequest, emptyFields, scheduleRequest } from './schedule-form';
import { FIELDS as START_FIELDS } from '../rounds/start-form';

const FIELDS = {
  every: { label: 'Every', help: 'such as 6h, 1d or 2w' },
  cron: {
    label: 'Cron',
    help: 'minute, hour, day, month, day of the week: 0 3 * * 6 is Saturday at 3',
  },
  window: {
    label: 'Window',
    help: 'hours in which it can start, such as 01:00-05:00; empty: any time',
  },
  timezone: { label: 'Time zone', help: 'of window and cron; empty: UTC' },
  osds: START_FIELDS.osds,
} as const;
type TextField = keyof typeof FIELDS;

/** Asks for a new schedule; what the back end refuses stands beside the field at fault. */
@Component({
  selector: 'pb-schedule-dialog',
  imports: [AnswerComponent, DialogComponent, RefusalComponent, TextFieldComponent],
  templateUrl: './schedule-dialog.component.html',
})
export class ScheduleDialogComponent {
  readonly added = output();
  readonly closed = output();
  readonly #api = inject(Api);
  readonly #pulse = inject(Pulse);
  protected readonly ways = ['every', 'cron'] as const;
  protected readonly attempt = new Attempt();
  protected readonly profiles = livePage('profile', null);
  protected readonly fields = signal<ScheduleFields>(
    emptyFields(Intl.DateTimeFormat().resolvedOptions().timeZone),
  );
  private readonly dialog = viewChild.required(DialogComponent);
  protected readonly texts = computed(() => {
    const by = this.fields().by;
    const least = this.#pulse.limits()?.min_every_seconds;
    const names: readonly TextField[] = [by, 'window', 'timezone', 'osds'];
    return names.map((name) => ({
      name,
      label: FIELDS[name].label,
      help: [FIELDS[name].help, name === 'every' && least ? `not less than ${duration(least)}` : '']
        .filter(Boolean)
        .join('; '),
    }));
  });

  constructor() {
    effect(() => {
      const first = this.profiles.value()?.rows[0]?.name;
      if (first && !untracked(this.fields).profile) this.set({ profile: first });
    });
  }

  protected set(change: Partial<ScheduleFields>): void {
    this.fields.update((before) => ({ ...before, ...change }));
    this.attempt.refusal.set(null);
  }

  protected change(field: TextField, text: string): void {
    this.set({ [field]: text });
  }

  protected async add(): Promise<void> {
    const request = scheduleRequest(this.fields());
    if (!(await this.attempt.run(() => this.#api.post('schedule', request)))) return;
    this.added.emit();
    this.dialog().close();
  }

  /** What the back end says is wrong with a field. */
  protected wrong(field: keyof ScheduleRequest): string {
    const refusal = this.attempt.refusal();
    return refusal?.field === field ? refusal.message : '';
  }

  /** A refusal that belongs to no field that shows. */
  protected readonly elsewhere = computed(() => {
    const refusal = this.attempt.refusal();
    const shown = ['name', 'profile', ...this.texts().map(({ name }) => name)];
    return refusal && !shown.includes(refusal.field) ? refusal : null;
  });
}
