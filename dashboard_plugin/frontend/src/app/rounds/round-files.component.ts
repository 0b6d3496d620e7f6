import { Component, inject, input } from '@angular/core';
import { Api } from '../core/api';
import { DownloadsComponent, MakeFile } from '../shared/downloads.component';

/** A whole round as a file, as `round export` prints it. */
@Component({
  selector: 'pb-round-files',
  imports: [DownloadsComponent],
  template: `
    <pb-downloads
      [files]="files"
      what="Export all of round {{ round() }}: "
      [make]="make"
      status="reading the round"
      [stoppable]="true"
    />
  `,
})
export class RoundFilesComponent {
  readonly round = input.required<number>();
  readonly #api = inject(Api);
  protected readonly files = { html: 'Report', json: 'JSON', csv: 'CSV', raw: 'Raw rows' };

  protected readonly make: MakeFile = async (kind, signal) => {
    const round = this.round();
    const asked = kind === 'raw' ? { raw: 'true' } : { as: kind };
    const { text } = await this.#api.get('round/ID/file', { ID: round, ...asked }, signal);
    return { name: `round-${round}.${kind === 'raw' ? 'raw.json' : kind}`, text };
  };
}
