import { Component, DestroyRef, computed, inject, model } from '@angular/core';
import { Api, liveGet, livePage } from '../core/api';
import { Attempt } from '../core/attempt';
import { MOST } from '../core/everything';
import { mapData } from '../map/map-data';
import { AnswerComponent } from '../shared/answer.component';
import { RefusalComponent } from '../shared/refusal.component';
import { listOf, valueOf, withList, withValue } from './osd-choice';
import { fill } from '../shared/fill';

/** More OSDs are not shown one by one: a class or a host makes them fewer. */
const SHOWN = 60;

/** Writes the expression that selects OSDs, by device class, host, enclosure, or one by one. */
@Component({
  selector: 'pb-osd-picker',
  imports: [AnswerComponent, RefusalComponent],
  template: `
    <pb-answer [live]="map">
      <div class="pb-form pb-form--pairs">
        @for (one of selects(); track one.key) {
          <label class="pb-field">
            <span>{{ one.label }}</span>
            <select #chosen class="pb-field__input" (change)="pick(one.key, chosen.value)">
              <option value="" [selected]="!one.value">any</option>
              @for (name of one.names; track name) {
                <option [value]="name" [selected]="name === one.value">{{ name }}</option>
              }
            </select>
          </label>
        }
        @if (enclosures.value()?.rows?.length) {
          <label class="pb-field">
            <span>OSDs of enclosure</span>
            <select #shelf class="pb-field__input" (change)="take(shelf.value)">
              <option value="">any</option>
              @for (one of enclosures.value()?.rows; track one.id) {
                <option [value]="one.id" [disabled]="!one.osds">
                  {{ fill('{name} ({osds|OSD|OSDs})', { name: one.id, osds: one.osds }) }}
                </option>
              }
            </select>
            @if (taking.refusal(); as why) {
              <pb-refusal [refusal]="why" (again)="take(shelf.value)" />
            }
          </label>
        }
      </div>
      <fieldset class="pb-field pb-picks">
        <legend>One by one</legend>
        @if (fitting().length > shown) {
          <span class="pb-quiet">{{
            fill('{osds|OSD|OSDs}: choose a class or a host, and they are listed here', {
              osds: fitting().length,
            })
          }}</span>
        } @else {
          @for (osd of fitting(); track osd) {
            <label class="pb-check">
              <input type="checkbox" [checked]="listed().includes(osd)" (change)="toggle(osd)" />
              <span>osd.{{ osd }}</span>
            </label>
          }
        }
      </fieldset>
    </pb-answer>
  `,
})
export class OsdPickerComponent {
  /** The expression so far; a second choice builds on the first before the form is drawn again. */
  readonly value = model.required<string>();
  readonly #api = inject(Api);
  protected readonly fill = fill;
  protected readonly shown = SHOWN;
  protected readonly map = liveGet('osd/map', null);
  protected readonly enclosures = livePage('enclosure', null, () => ({ limit: MOST }));
  /** Of the OSDs of the enclosure that was chosen last. */
  protected readonly taking = new Attempt();
  #asking = new AbortController();
  readonly #data = computed(() => {
    const answer = this.map.value();
    return answer && mapData(answer, undefined);
  });
  protected readonly selects = computed(() =>
    (['class', 'host'] as const).map((key) => ({
      key,
      label: key === 'class' ? 'Device class' : 'Host',
      value: valueOf(this.value(), key),
      names: [...new Set(this.#data()?.[key] ?? [])].filter(Boolean).sort(),
    })),
  );
  protected readonly listed = computed(() => listOf(this.value()));
  /** The OSDs of the chosen class and host. */
  protected readonly fitting = computed((): readonly number[] => {
    const data = this.#data();
    if (!data) return [];
    const wanted = this.selects();
    return [...data.osd].filter((_, row) =>
      wanted.every(({ key, value }) => !value || data[key][row] === value),
    );
  });

  constructor() {
    inject(DestroyRef).onDestroy(() => this.#asking.abort());
  }

  protected pick(key: 'class' | 'host', value: string): void {
    this.value.set(withValue(this.value(), key, value));
  }

  /** Name the OSDs of an enclosure one by one; of none: name none. */
  protected async take(id: string): Promise<void> {
    this.#asking.abort();
    const { signal } = (this.#asking = new AbortController());
    await this.taking.run(async () => {
      try {
        const slots = id ? (await this.#api.get('enclosure/ID', { ID: id }, signal)).slots : [];
        if (signal.aborted) return;
        const osds = slots.flatMap((slot) => slot.osds);
        // An enclosure that no host told of is known without its slots.
        if (!id || osds.length) this.value.set(withList(this.value(), osds));
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    });
  }

  protected toggle(osd: number): void {
    const listed = this.listed();
    const now = listed.includes(osd) ? listed.filter((one) => one !== osd) : [...listed, osd];
    this.value.set(withList(this.value(), now));
  }
}
