import { ChangeDetectionStrategy, Component, computed, inject } from '@angular/core';
import { Api, ReportKind } from '../core/api';
import { Key } from '../i18n/en';
import { translator } from '../i18n/i18n';
import { DownloadsComponent, MakeFile } from '../shared/downloads.component';

const NAMES = {
  html: 'file.html',
  json: 'file.json',
} as const satisfies Record<ReportKind, Key>;
const KINDS = ['html', 'json'] as const;

/** What happened in the last 30 days, as a file to forward. */
@Component({
  selector: 'pb-report',
  host: { class: 'pb-downloads' },
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [DownloadsComponent],
  template: `
    <span class="pb-quiet">{{ t('report.title') }}</span>
    <pb-downloads [files]="files()" [make]="make" [status]="t('report.asking')" />
  `,
})
export class ReportComponent {
  readonly #api = inject(Api);
  protected readonly t = translator();
  protected readonly files = computed(() =>
    KINDS.map((kind) => {
      const text = this.t(NAMES[kind]);
      return { kind, text, label: this.t('report.label', { kind: text }) };
    }),
  );

  protected readonly make: MakeFile<ReportKind> = async (kind, signal) => {
    const { name, text } = await this.#api.report(kind, signal);
    return { name, texts: [text] };
  };
}
