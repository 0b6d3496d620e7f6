import { Injectable, computed, inject } from '@angular/core';
import { FindingKind } from '../../generated/types';
import { Api } from '../core/api';
import { live } from '../core/live';

/** All that is known of kinds of findings, asked for once; empty where the module has no such answer. */
@Injectable({ providedIn: 'root' })
export class FindingKinds {
  readonly #api = inject(Api);
  readonly #live = live((signal) => this.#api.findingKinds(signal));
  readonly #kinds = computed(
    () => new Map(this.#live.value()?.rows.map((kind) => [kind.code, kind])),
  );

  of(code: string): FindingKind | null {
    return this.#kinds().get(code) ?? null;
  }
}
