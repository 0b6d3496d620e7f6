import { Component, DestroyRef, computed, inject, input } from '@angular/core';
import { Attempt } from '../core/attempt';
import { download } from './data-table/export';
import { RefusalComponent } from './refusal.component';

/** A file by its name, whose ending tells the type. */
export interface MadeFile {
  readonly name: string;
  readonly text: string;
}

/** Makes the file of a kind; asked for no longer once the signal is aborted. */
export type MakeFile<K extends string = string> = (
  kind: K,
  signal: AbortSignal,
) => Promise<MadeFile>;

/** A button for each file that can be had; one is made at a time, and a refusal shows here. */
@Component({
  selector: 'pb-downloads',
  host: { class: 'pb-downloads' },
  imports: [RefusalComponent],
  template: `
    @for (kind of kinds(); track kind) {
      <button
        type="button"
        class="pb-button pb-button--small"
        [disabled]="disabled() || attempt.running()"
        attr.aria-label="{{ what() }}{{ files()[kind] }}"
        (click)="save(kind)"
      >
        ⤓ {{ files()[kind] }}
      </button>
    }
    @if (attempt.running() && status(); as text) {
      <span class="pb-quiet" role="status">{{ text }}</span>
    }
    @if (attempt.running() && stoppable()) {
      <button type="button" class="pb-button pb-button--small" (click)="end()">Stop</button>
    }
    @if (attempt.refusal(); as why) {
      <pb-refusal [refusal]="why" />
    }
  `,
})
export class DownloadsComponent<K extends string> {
  /** What the button of each kind says. */
  readonly files = input.required<Readonly<Record<K, string>>>();
  /** What a screen reader hears before that. */
  readonly what = input.required<string>();
  readonly make = input.required<MakeFile<K>>();
  readonly disabled = input(false);
  /** What is said while a file is made. */
  readonly status = input('');
  /** It may take long enough to be stopped. */
  readonly stoppable = input(false);
  protected readonly kinds = computed(() => Object.keys(this.files()) as K[]);
  protected readonly attempt = new Attempt();
  #asking = new AbortController();

  constructor() {
    inject(DestroyRef).onDestroy(() => this.end());
  }

  protected async save(kind: K): Promise<void> {
    const { signal } = (this.#asking = new AbortController());
    await this.attempt.run(async () => {
      try {
        const { name, text } = await this.make()(kind, signal);
        if (!signal.aborted) download(name, text);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    });
  }

  protected end(): void {
    this.#asking.abort();
  }
}
