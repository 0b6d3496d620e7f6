import { ChangeDetectionStrategy, Component, DestroyRef, inject, signal } from '@angular/core';
import { Api, ReportKind } from '../core/api';
import { Refusal, asRefusal } from '../core/refusal';
import { translator } from '../i18n/i18n';
import { download } from '../shared/data-table/export';
import { RefusalComponent } from '../shared/refusal.component';

const TYPES = { html: 'text/html', md: 'text/markdown', json: 'application/json' } as const;

/** What happened in the last 30 days, as a file to forward. */
@Component({
  selector: 'pb-report',
  host: { class: 'pb-downloads' },
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [RefusalComponent],
  template: `
    <span class="pb-quiet">{{ t('report.title') }}</span>
    @for (kind of kinds; track kind) {
      <button
        type="button"
        class="pb-button pb-button--small"
        [disabled]="asking()"
        [attr.aria-label]="t('report.label', { kind: t(names[kind]) })"
        (click)="save(kind)"
      >
        ⤓ {{ t(names[kind]) }}
      </button>
    }
    @if (asking()) {
      <span class="pb-quiet" role="status">{{ t('report.asking') }}</span>
    }
    @if (refusal(); as why) {
      <pb-refusal [refusal]="why" />
    }
  `,
})
export class ReportComponent {
  readonly #api = inject(Api);
  readonly #leaving = new AbortController();
  protected readonly t = translator();
  protected readonly kinds = ['html', 'md', 'json'] as const;
  protected readonly names = {
    html: 'report.html',
    md: 'report.md',
    json: 'table.export.json',
  } as const;
  protected readonly asking = signal(false);
  protected readonly refusal = signal<Refusal | null>(null);

  constructor() {
    inject(DestroyRef).onDestroy(() => this.#leaving.abort());
  }

  protected async save(kind: ReportKind): Promise<void> {
    this.refusal.set(null);
    this.asking.set(true);
    try {
      const { name, text } = await this.#api.report(kind, this.#leaving.signal);
      if (!this.#leaving.signal.aborted) download(name, TYPES[kind], text);
    } catch (error) {
      if (!this.#leaving.signal.aborted) this.refusal.set(asRefusal(error));
    } finally {
      this.asking.set(false);
    }
  }
}
