import { Component, computed, inject, input, signal } from '@angular/core';
import { Api, RoundFileKind } from '../core/api';
import { DownloadsComponent, MakeFile } from '../shared/downloads.component';
import { fill } from '../shared/fill';

const NAMES = {
  html: 'Report',
  json: 'JSON',
  csv: 'CSV',
  raw: 'Raw rows',
} as const satisfies Record<RoundFileKind, string>;
const KINDS = ['html', 'json', 'csv', 'raw'] as const;

/** A whole round as a file, as `round export` prints it; it comes in parts of some hundred OSDs. */
@Component({
  selector: 'pb-round-files',
  imports: [DownloadsComponent],
  template: `
    <pb-downloads
      [files]="files()"
      [make]="make"
      [status]="fill('part {part} of {parts}', progress())"
      [stoppable]="true"
    />
  `,
})
export class RoundFilesComponent {
  readonly round = input.required<number>();
  readonly #api = inject(Api);
  protected readonly fill = fill;
  protected readonly files = computed(() =>
    KINDS.map((kind) => {
      const text = NAMES[kind];
      return {
        kind,
        text,
        label: `Export all of round ${this.round()}: ${text}`,
      };
    }),
  );
  protected readonly progress = signal({ part: 0, parts: 1 });

  /** All parts, one after the other: the module makes one at a time. */
  protected readonly make: MakeFile<RoundFileKind> = async (kind, signal) => {
    const round = this.round();
    const texts: string[] = [];
    for (let parts = 1; texts.length < parts;) {
      this.progress.set({ part: texts.length, parts });
      const found = await this.#api.roundFile(round, kind, texts.length, signal);
      signal.throwIfAborted();
      parts = found.parts;
      texts.push(found.text);
    }
    return { name: `round-${round}.${kind === 'raw' ? 'raw.json' : kind}`, texts };
  };
}
