import { Component, computed, inject, output, signal, viewChild } from '@angular/core';
import { size } from '../../core/format';
import { Api } from '../../core/api';
import { Attempt } from '../../core/attempt';
import { Navigator } from '../../core/navigator';
import { Pulse } from '../../core/pulse';
import { Refusal } from '../../core/refusal';
import { DialogComponent } from '../../shared/dialog.component';
import { RefusalComponent } from '../../shared/refusal.component';
import { TextFieldComponent } from '../../shared/text-field.component';

const TOOLS = ['fio', 'elbencho', 'warp'] as const;

/** Takes what another tool measured, a file, as a round of its own. */
@Component({
  selector: 'pb-import-dialog',
  imports: [DialogComponent, RefusalComponent, TextFieldComponent],
  template: `
    <pb-dialog
      #dialog
      heading="Import results of another tool"
      [busy]="attempt.running()"
      (closed)="closed.emit()"
    >
      <form class="pb-form" (submit)="$event.preventDefault(); take()">
        <label class="pb-field" for="pb-import-as">
          <span>Measured by</span>
          <select
            #choice
            id="pb-import-as"
            class="pb-field__input"
            aria-describedby="pb-import-as-help"
            (change)="set({ as: choice.value })"
          >
            @for (tool of tools; track tool) {
              <option [value]="tool" [selected]="tool === fields().as">{{ tool }}</option>
            }
          </select>
          <small id="pb-import-as-help">{{ help() }}</small>
        </label>
        <label class="pb-field" for="pb-import-file">
          <span>File</span>
          <input
            #chooser
            id="pb-import-file"
            class="pb-field__input"
            type="file"
            accept=".json,.txt,.log,application/json"
            [attr.aria-invalid]="elsewhere() ? 'true' : null"
            (change)="choose(chooser.files?.[0] ?? null)"
          />
        </label>
        <pb-text-field
          name="import-label"
          label="Label"
          help="a name to find the round by"
          [value]="fields().label"
          [wrong]="wrong('label')"
          (typed)="set({ label: $event })"
        />
        @if (elsewhere(); as why) {
          <pb-refusal [refusal]="why" (again)="take()" />
        }
        <div class="pb-actions">
          <button
            type="button"
            class="pb-button"
            [disabled]="attempt.running()"
            (click)="dialog.close()"
          >
            Cancel
          </button>
          <button
            type="submit"
            class="pb-button pb-button--main"
            [disabled]="!file() || attempt.running()"
          >
            Import
          </button>
        </div>
      </form>
    </pb-dialog>
  `,
})
export class ImportDialogComponent {
  readonly closed = output();
  readonly #api = inject(Api);
  readonly #navigator = inject(Navigator);
  readonly #pulse = inject(Pulse);
  protected readonly tools = TOOLS;
  protected readonly attempt = new Attempt();
  protected readonly fields = signal({ as: 'fio', label: '' });
  protected readonly help = computed(() => {
    const tool = this.fields().as;
    if (tool === 'fio') {
      return 'the file that fio --output-format=json wrote';
    }
    return tool === 'warp'
      ? 'what warp analyze --json printed'
      : 'the file that elbencho --jsonfile wrote';
  });
  protected readonly file = signal<File | null>(null);
  private readonly dialog = viewChild.required(DialogComponent);
  /** A refusal that belongs to no field but the file. */
  protected readonly elsewhere = computed(() => {
    const refusal = this.attempt.refusal();
    return refusal && refusal.field !== 'label' ? refusal : null;
  });

  protected set(change: { as?: string; label?: string }): void {
    this.fields.update((before) => ({ ...before, ...change }));
    this.attempt.refusal.set(null);
  }

  protected choose(file: File | null): void {
    this.file.set(file);
    this.attempt.refusal.set(null);
  }

  protected wrong(field: 'label'): string {
    const refusal = this.attempt.refusal();
    return refusal?.field === field ? refusal.message : '';
  }

  protected async take(): Promise<void> {
    const file = this.file();
    if (!file) return;
    await this.attempt.run(async () => {
      const most = this.#pulse.limits()?.max_import_bytes;
      if (most && file.size > most)
        throw new Refusal('bad-request', `The file is larger than ${size(most)}.`);
      const { id } = await this.#api.post('round/import', {
        ...this.fields(),
        results: await file.text(),
      });
      this.#pulse.status.refresh();
      this.dialog().close();
      this.#navigator.go(`/rounds/${id}`);
    });
  }
}
