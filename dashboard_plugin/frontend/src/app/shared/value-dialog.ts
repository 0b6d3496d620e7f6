import { Directive, Signal, inject, linkedSignal, output } from '@angular/core';
import { Api } from '../core/api';

/** A dialog in which one value of something is set: a note, a span of time. */
@Directive()
export abstract class ValueDialog<T> {
  /** It is set, and this is how it looks now. */
  readonly changed = output<T>();
  readonly closed = output();
  protected readonly api = inject(Api);
  /** What stands there when the dialog opens. */
  protected abstract readonly before: Signal<string>;
  /** What was typed stays, also when somebody else changes it meanwhile. */
  protected readonly value = linkedSignal<string, string>({
    source: () => this.before(),
    computation: (before, last) => (last && last.value !== last.source ? last.value : before),
  });

  protected readonly save = async (): Promise<void> => {
    this.changed.emit(await this.set(this.value()));
  };

  protected abstract set(value: string): Promise<T>;
}
