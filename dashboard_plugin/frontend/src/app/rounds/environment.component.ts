import { Component, computed, input } from '@angular/core';
import { Round } from '../../generated/types';
import { rate } from '../core/format';
import { FactsComponent } from '../shared/facts.component';

/** What was true of the cluster when a round started, key by key. */
@Component({
  selector: 'pb-environment',
  imports: [FactsComponent],
  template: ` <pb-facts [facts]="facts()" /> `,
})
export class EnvironmentComponent {
  readonly environment = input.required<Round['environment']>();
  protected readonly facts = computed(() =>
    Object.entries(this.environment())
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([key, value]) => ({
        name: key
          .replace(/_bytes_per_second$/, '')
          .replace(/_percent$/, ' %')
          .replaceAll('_', ' '),
        text: key.endsWith('_bytes_per_second') ? rate(value as number) : written(value),
      })),
  );
}

/** Any JSON value in words; keys are not known here, each release may add some. */
export function written(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value)) return value.map(written).join(', ') || '–';
  if (typeof value === 'object') {
    const pairs = Object.entries(value).map(([key, entry]) => `${key}: ${written(entry)}`);
    return pairs.join(', ') || '–';
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}
