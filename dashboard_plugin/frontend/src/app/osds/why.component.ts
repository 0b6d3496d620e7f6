import { Component, computed, inject, input, linkedSignal } from '@angular/core';
import { OsdWhy } from '../../generated/types';
import { Api } from '../core/api';
import { milliseconds, percent } from '../core/format';
import { Live, live } from '../core/live';
import { AnswerComponent } from '../shared/answer.component';
import { Shown } from '../shared/evidence';
import { EvidenceComponent } from '../shared/evidence.component';

/** The module has the whole answer after so long. */
const ASKED_MS = 3_000;
/** Smaller shares of the time are left out. */
const LEAST_SHARE = 0.001;

/** Where an OSD's operations spend their time; asked on request, because the OSD is asked then. */
@Component({
  selector: 'pb-osd-why',
  imports: [AnswerComponent, EvidenceComponent],
  templateUrl: './why.component.html',
})
export class WhyComponent {
  readonly osd = input.required<number>();
  readonly #api = inject(Api);
  /** Whether this OSD was asked about; another one was not. */
  protected readonly asked = linkedSignal({ source: this.osd, computation: () => false });
  protected readonly live: Live<OsdWhy | null> = live(
    (signal) => this.#ask(this.asked(), this.osd(), signal),
    {
      every: () => (this.live.value()?.state === 'asking' ? ASKED_MS : null),
    },
  );
  protected readonly stages = computed(() => this.#stages(this.live.value()));
  protected readonly counters = computed(() => this.#counters(this.live.value()));

  protected ask(): void {
    if (this.asked()) this.live.refresh();
    this.asked.set(true);
  }

  async #ask(asked: boolean, osd: number, signal: AbortSignal): Promise<OsdWhy | null> {
    return asked ? await this.#api.get('osd/ID/why', { ID: osd }, signal) : null;
  }

  #stages(found: OsdWhy | null): Shown | null {
    if (!found) return null;
    const { operations, sub_operations: replica } = found;
    const names = [...new Set([...Object.keys(operations), ...Object.keys(replica)])].filter(
      (name) => Math.max(operations[name] ?? 0, replica[name] ?? 0) >= LEAST_SHARE,
    );
    if (!names.length) return null;
    return table(
      ['Stage', 'Time of operations of clients', 'Time of its work as a replica'],
      names.map((name) => [
        name.replaceAll('_', ' '),
        ...[operations[name], replica[name]].map((share) =>
          percent(share === undefined ? null : 100 * share, 1),
        ),
      ]),
    );
  }

  #counters(found: OsdWhy | null): Shown | null {
    if (!found?.counters.length) return null;
    const rows = found.counters;
    const others = [...new Set(rows.flatMap((row) => row.others.map(({ osd }) => osd)))];
    return table(
      ['Counter', 'Count', ...[found.osd, ...others].map((osd) => `osd.${osd} ms`)],
      rows.map((row) => [
        row.words,
        String(row.operations),
        milliseconds(row.ms),
        ...others.map((osd) =>
          milliseconds(row.others.find((other) => other.osd === osd)?.ms ?? null),
        ),
      ]),
    );
  }
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): Shown {
  return {
    as: 'table',
    heads,
    rows: rows.map((row) => row.map((text) => ({ as: 'text', text }))),
  };
}
