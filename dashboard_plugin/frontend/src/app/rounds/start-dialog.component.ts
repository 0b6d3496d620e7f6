import {
  Component,
  DestroyRef,
  computed,
  effect,
  inject,
  signal,
  untracked,
  viewChild,
} from '@angular/core';
import { Plan } from '../../generated/types';
import { Api, livePage } from '../core/api';
import { roughDuration, size } from '../core/format';
import { Navigator } from '../core/navigator';
import { Pulse } from '../core/pulse';
import { Refusal, asRefusal } from '../core/refusal';
import { DialogComponent } from '../shared/dialog.component';
import { TextFieldComponent } from '../shared/text-field.component';
import { AbortComponent } from './abort.component';
import { AdmissionComponent } from './admission.component';
import { OsdPickerComponent } from './osd-picker.component';
import { PlanComponent } from './plan.component';
import {
  byQuestion,
  check,
  EMPTY,
  FIELDS,
  fieldsOf,
  inWords,
  ofClients,
  request,
  searches,
  StartFields,
  TextField,
  withoutWrong,
} from './start-form';
import { StartRound } from './start-round';
import { WorkersFieldComponent } from './workers-field.component';
import { fill } from '../shared/fill';
import { PIECES } from '../shared/pieces';

const TYPING_PAUSE_MS = 400;

/** Asks for a round, shows what it would do, and only then lets one start it. */
@Component({
  selector: 'pb-start-dialog',
  imports: [
    PIECES,
    AbortComponent,
    AdmissionComponent,
    DialogComponent,
    OsdPickerComponent,
    PlanComponent,
    TextFieldComponent,
    WorkersFieldComponent,
  ],
  templateUrl: './start-dialog.component.html',
})
export class StartDialogComponent {
  readonly #api = inject(Api);
  readonly #navigator = inject(Navigator);
  readonly #pulse = inject(Pulse);
  protected readonly opener = inject(StartRound);
  private readonly dialog = viewChild.required(DialogComponent);

  protected readonly profiles = livePage('profile', null);
  protected readonly fields = signal<StartFields>(EMPTY);
  protected readonly profile = computed(() =>
    this.profiles.value()?.rows.find((entry) => entry.name === this.fields().profile),
  );
  protected readonly errors = computed(() => check(this.fields()));
  /** The plan of these very fields; null while they have none (yet). */
  protected readonly plan = signal<Plan | null>(null);
  protected readonly planning = signal(false);
  protected readonly starting = signal(false);
  /** Whether OSDs are chosen from lists: these are asked for only then. */
  protected readonly picking = signal(false);
  protected readonly refusal = signal<Refusal | null>(null);
  protected readonly allowed = computed(() => {
    const admission = this.plan()?.admission;
    if (!admission || this.starting()) return false;
    return admission.allowed || (admission.forceable && this.fields().force);
  });
  #typing: ReturnType<typeof setTimeout> | undefined;
  #running: AbortController | null = null;

  constructor() {
    effect(() => {
      const first = this.profiles.value()?.rows[0]?.name;
      if (first && !untracked(this.fields).profile) this.set({ profile: first });
    });
    inject(DestroyRef).onDestroy(() => {
      clearTimeout(this.#typing);
      this.#running?.abort();
    });
  }

  /** The fields to type in. */
  protected readonly texts = computed(() => {
    const profile = this.profile();
    const values = {
      repeats: profile?.repeats ?? '',
      most: profile?.max_repeats ?? '',
      size: size(profile?.steps[0]?.block_size),
    };
    return fieldsOf(this.fields().profile).map((name) => ({
      name,
      label: FIELDS[name].label,
      help: [fill(this.#help(name), values), this.#range(name)].filter(Boolean).join('; '),
    }));
  });
  /** The bench's own pool holds nothing of others. */
  protected readonly ofOthers = computed(
    () => ofClients(this.fields().profile) && this.fields().pool.trim() !== '',
  );

  /** A search is told the most of clients and threads. */
  #help(name: TextField): string {
    const { help, most = help } = FIELDS[name];
    return searches(this.fields().profile) ? most : help;
  }

  /** What the module takes, where it tells. */
  #range(name: TextField): string {
    const limits = this.#pulse.limits();
    const ranges: Partial<Record<TextField, readonly (number | undefined)[]>> = {
      clients: [1, limits?.max_clients],
      threads: [1, limits?.max_threads],
      seconds: [limits?.min_seconds, limits?.max_seconds],
      rests: [0, limits?.max_rests],
    };
    const [from, to] = ranges[name] ?? [];
    return from === undefined || to === undefined ? '' : `${from} to ${to}`;
  }

  protected set(change: Partial<StartFields>): void {
    this.fields.update((before) => ({ ...before, ...change }));
    // What was refused was of the fields as they were.
    const refused = this.refusal() !== null;
    this.refusal.set(null);
    if ('force' in change || ('label' in change && !refused)) return;
    this.plan.set(null);
    this.fields.update((before) => ({ ...before, force: false }));
    this.#running?.abort();
    clearTimeout(this.#typing);
    this.planning.set(true);
    this.#typing = setTimeout(() => void this.preview(), TYPING_PAUSE_MS);
  }

  protected change(field: TextField, text: string): void {
    this.set({ [field]: text });
  }

  protected async preview(): Promise<void> {
    this.refusal.set(null);
    await this.#preview();
  }

  async #preview(): Promise<void> {
    clearTimeout(this.#typing);
    // A start that was refused asks again while what was typed meanwhile may be asked for.
    this.#running?.abort();
    const mine = (this.#running = new AbortController());
    this.planning.set(true);
    try {
      // Also with wrong fields: what else is wrong is told together with them.
      const sound = Object.keys(this.errors()).length === 0;
      const plan = await this.#api.plan(request(withoutWrong(this.fields())), mine.signal);
      if (!mine.signal.aborted) this.plan.set(sound ? plan : null);
    } catch (error) {
      if (!mine.signal.aborted) this.refusal.set(asRefusal(error));
    } finally {
      if (!mine.signal.aborted) this.planning.set(false);
    }
  }

  protected async start(): Promise<void> {
    this.starting.set(true);
    this.refusal.set(null);
    try {
      const { id } = await this.#api.post('round', request(this.fields()));
      this.#pulse.status.refresh();
      this.dialog().close();
      this.#navigator.go(`/rounds/${id}`);
    } catch (error) {
      const refusal = asRefusal(error);
      this.refusal.set(refusal);
      this.#pulse.status.refresh();
      // What has come up since the plan was made belongs into the plan.
      if (refusal.kind === 'busy') await this.#preview();
    } finally {
      this.starting.set(false);
    }
  }

  /** What is wrong with a field: seen here, or said by the back end. */
  protected wrong(field: keyof StartFields): string {
    const seen = this.errors()[field];
    if (seen) return seen;
    const refusal = this.refusal();
    return refusal?.field === field ? inWords(refusal.message, this.#label) : '';
  }

  readonly #label = (name: string): string =>
    (FIELDS as Partial<typeof FIELDS>)[name as TextField]?.label ?? name;

  /** What it costs, in a sentence beside the button. */
  protected readonly cost = computed(() => {
    const plan = this.plan();
    if (!plan) return '';
    const osds = fill('{count|OSD|OSDs}', { count: plan.targets.length });
    const time = roughDuration(Math.max(plan.seconds, 1));
    const what = plan.bytes ? `Writes ${size(plan.bytes)} to ${osds}` : `Loads ${osds}`;
    const held = plan.holds?.length ?? 0;
    const pause = held
      ? `; ${held} ${held === 1 ? 'setting is' : 'settings are'} changed meanwhile`
      : '';
    return `${what} in about ${time}${pause}.`;
  });

  protected readonly questions = computed(() => byQuestion(this.profiles.value()?.rows ?? []));

  /** The running round, where it is in the way. */
  protected readonly hindered = computed(() => {
    const refused = this.plan()?.admission.refusals.some((one) => one.code === 'round-running');
    return refused || this.refusal()?.kind === 'busy' ? this.#pulse.active() : null;
  });

  /** A refusal that belongs to no field of the form. */
  protected readonly elsewhere = computed(() => {
    const refusal = this.refusal();
    const shown: readonly string[] = ['profile', ...fieldsOf(this.fields().profile)];
    return refusal && !shown.includes(refusal.field) ? refusal : null;
  });
}
