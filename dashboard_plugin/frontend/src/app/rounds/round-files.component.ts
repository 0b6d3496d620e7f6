import {
  ChangeDetectionStrategy,
  Component,
  DestroyRef,
  inject,
  input,
  signal,
} from '@angular/core';
import { Api, RoundFileKind } from '../core/api';
import { Refusal, asRefusal } from '../core/refusal';
import { translator } from '../i18n/i18n';
import { download } from '../shared/data-table/export';
import { RefusalComponent } from '../shared/refusal.component';

const TYPES = {
  html: 'text/html',
  csv: 'text/csv',
  json: 'application/json',
  raw: 'application/json',
} as const;

/** A whole round as a file, as `round export` prints it; it comes in parts of some hundred OSDs. */
@Component({
  selector: 'pb-round-files',
  host: { class: 'pb-downloads' },
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [RefusalComponent],
  template: `
    @for (kind of kinds; track kind) {
      <button
        type="button"
        class="pb-button pb-button--small"
        [disabled]="running() !== null"
        [attr.aria-label]="t('round.file.label', { id: round(), kind: t(names[kind]) })"
        (click)="save(kind)"
      >
        ⤓ {{ t(names[kind]) }}
      </button>
    }
    @if (running(); as part) {
      <span class="pb-quiet" role="status">{{ t('round.file.part', part) }}</span>
      <button type="button" class="pb-button pb-button--small" (click)="end()">
        {{ t('round.file.stop') }}
      </button>
    }
    @if (refusal(); as why) {
      <pb-refusal [refusal]="why" />
    }
  `,
})
export class RoundFilesComponent {
  readonly round = input.required<number>();
  readonly #api = inject(Api);
  protected readonly t = translator();
  protected readonly kinds = ['html', 'json', 'csv', 'raw'] as const;
  protected readonly names = {
    html: 'round.file.report',
    json: 'table.export.json',
    csv: 'table.export.csv',
    raw: 'round.file.raw',
  } as const;
  protected readonly running = signal<{ part: number; parts: number } | null>(null);
  protected readonly refusal = signal<Refusal | null>(null);
  #asking: AbortController | null = null;

  constructor() {
    inject(DestroyRef).onDestroy(() => this.end());
  }

  protected async save(kind: RoundFileKind): Promise<void> {
    const mine = (this.#asking = new AbortController());
    this.refusal.set(null);
    this.running.set({ part: 0, parts: 1 });
    try {
      const round = this.round();
      const texts = await this.#texts(round, kind, mine.signal);
      const ending = kind === 'raw' ? 'raw.json' : kind;
      const type = TYPES[kind];
      if (!mine.signal.aborted) download(`round-${round}.${ending}`, type, ...texts);
    } catch (error) {
      if (!mine.signal.aborted) this.refusal.set(asRefusal(error));
    } finally {
      if (this.#asking === mine) this.end();
    }
  }

  protected end(): void {
    this.#asking?.abort();
    this.#asking = null;
    this.running.set(null);
  }

  /** All parts, one after the other: the module makes one at a time. */
  async #texts(round: number, kind: RoundFileKind, signal: AbortSignal): Promise<string[]> {
    const texts: string[] = [];
    for (let parts = 1; texts.length < parts;) {
      const found = await this.#api.roundFile(round, kind, texts.length, signal);
      signal.throwIfAborted();
      parts = found.parts;
      texts.push(found.text);
      this.running.set({ part: texts.length, parts });
    }
    return texts;
  }
}
