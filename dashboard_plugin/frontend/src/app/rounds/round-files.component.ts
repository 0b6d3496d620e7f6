import { Component, inject, input, signal } from '@angular/core';
import { Api } from '../core/api';
import { DownloadsComponent, MakeFile } from '../shared/downloads.component';

/** A whole round as a file, as `round export` prints it; it comes in parts of some hundred OSDs. */
@Component({
  selector: 'pb-round-files',
  imports: [DownloadsComponent],
  template: `
    <pb-downloads
      [files]="files"
      what="Export all of round {{ round() }}: "
      [make]="make"
      status="part {{ progress().part }} of {{ progress().parts }}"
      [stoppable]="true"
    />
  `,
})
export class RoundFilesComponent {
  readonly round = input.required<number>();
  readonly #api = inject(Api);
  protected readonly files = { html: 'Report', json: 'JSON', csv: 'CSV', raw: 'Raw rows' };
  protected readonly progress = signal({ part: 0, parts: 1 });

  /** All parts, one after the other: the module makes one at a time. */
  protected readonly make: MakeFile = async (kind, signal) => {
    const round = this.round();
    const asked = kind === 'raw' ? { raw: 'true' } : { as: kind };
    const texts: string[] = [];
    for (let parts = 1; texts.length < parts;) {
      this.progress.set({ part: texts.length, parts });
      const found = await this.#api.get(
        'round/ID/file',
        { ID: round, ...asked, part: texts.length },
        signal,
      );
      signal.throwIfAborted();
      parts = found.parts;
      texts.push(found.text);
    }
    return { name: `round-${round}.${kind === 'raw' ? 'raw.json' : kind}`, texts };
  };
}
