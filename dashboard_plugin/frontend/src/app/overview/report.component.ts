import { Component, computed, inject } from '@angular/core';
import { Api, ReportKind } from '../core/api';
import { DownloadsComponent, MakeFile } from '../shared/downloads.component';

const NAMES = {
  html: 'HTML',
  json: 'JSON',
} as const satisfies Record<ReportKind, string>;
const KINDS = ['html', 'json'] as const;

/** What happened in the last 30 days, as a file to forward. */
@Component({
  selector: 'pb-report',
  host: { class: 'pb-downloads' },
  imports: [DownloadsComponent],
  template: `
    <span class="pb-quiet">Report of 30 days:</span>
    <pb-downloads [files]="files()" [make]="make" status="being written…" />
  `,
})
export class ReportComponent {
  readonly #api = inject(Api);
  protected readonly files = computed(() =>
    KINDS.map((kind) => {
      const text = NAMES[kind];
      return {
        kind,
        text,
        label: `Save a report of the last 30 days: ${text}`,
      };
    }),
  );

  protected readonly make: MakeFile<ReportKind> = async (kind, signal) => {
    const { name, text } = await this.#api.report(kind, signal);
    return { name, texts: [text] };
  };
}
