import { Injectable, computed } from '@angular/core';
import { FindingKind } from '../../generated/types';
import { livePage } from '../core/api';

/** All that is known of kinds of findings, asked for once; empty where the module has no such answer. */
@Injectable({ providedIn: 'root' })
export class FindingKinds {
  readonly #live = livePage('finding/kind', null);
  readonly #kinds = computed(
    () => new Map(this.#live.value()?.rows.map((kind) => [kind.code, kind])),
  );

  of(code: string): FindingKind | null {
    return this.#kinds().get(code) ?? null;
  }
}
