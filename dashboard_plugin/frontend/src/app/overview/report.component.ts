import { Component, inject } from '@angular/core';
import { Api } from '../core/api';
import { DownloadsComponent, MakeFile } from '../shared/downloads.component';

/** What happened in the last 30 days, as a file to forward. */
@Component({
  selector: 'pb-report',
  host: { class: 'pb-downloads' },
  imports: [DownloadsComponent],
  template: `
    <span class="pb-quiet">Report of 30 days:</span>
    <pb-downloads
      [files]="files"
      what="Save a report of the last 30 days: "
      [make]="make"
      status="being written…"
    />
  `,
})
export class ReportComponent {
  readonly #api = inject(Api);
  protected readonly files = { html: 'HTML', json: 'JSON' };

  protected readonly make: MakeFile = async (kind, signal) => {
    const { text } = await this.#api.get('report', { since: '30d', as: kind }, signal);
    return { name: `perf-bench-${new Date().toISOString().slice(0, 10)}.${kind}`, text };
  };
}
