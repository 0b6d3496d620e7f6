import { Component, computed, inject, input } from '@angular/core';
import { Part, Round } from '../../generated/types';
import { ChartComponent } from '../charts/chart.component';
import { palette } from '../charts/palette';
import { duration, mib, percent } from '../core/format';
import { HostSettings } from '../core/host-settings';
import { Column } from '../shared/data-table/column';
import { DataTableComponent } from '../shared/data-table/data-table.component';
import { OPERATIONS, Operation, partName, pointsOf, spansOf } from './parts';
import { partsOption } from './parts-chart';

/** A round in parts as a picture: what writes and reads did alone, together, and after rests. */
@Component({
  selector: 'pb-parts',
  imports: [ChartComponent, DataTableComponent],
  template: `
    <section class="pb-card" aria-labelledby="pb-parts">
      <h2 id="pb-parts">Alone, together, alone again</h2>
      @if (chart(); as drawn) {
        <pb-chart [option]="drawn.option" [label]="drawn.label" [height]="340" />
        <p class="pb-quiet">
          The numbered bands are the phases of the round, the gaps between them are rests. The
          dotted line is what the same OSDs did alone at the beginning.
        </p>
      } @else {
        <p class="pb-empty">No phase has started yet.</p>
      }
      <pb-table
        name="Alone, together, alone again"
        [file]="'round-' + round().id + '-parts'"
        [columns]="columns()"
        [rows]="parts()"
        [rowId]="rowId"
      />
    </section>
  `,
})
export class PartsComponent {
  readonly round = input.required<Round>();
  readonly #host = inject(HostSettings);
  protected readonly parts = computed(() => this.round().phases);
  protected readonly columns = computed(() => columns(this.parts()));
  protected readonly rowId = (part: Part): string => part.name;
  protected readonly chart = computed(() => {
    const { conclusions } = this.round();
    const spans = spansOf(this.parts(), Date.now());
    if (spans.length === 0) return null;
    const told = OPERATIONS.map((operation) => {
      const percents = pointsOf(spans, operation, conclusions).map((one) => percent(one.percent));
      return `${operation} ${percents.join(', ')}`;
    });
    return {
      option: partsOption(spans, conclusions, palette(this.#host.dark())),
      label: `Percent of what the same OSDs did alone before, by phase (${spans.map(({ part }) => partName(part.name)).join(', ')}): ${told.join('; ')}.`,
    };
  });
}

function figure(
  key: string,
  title: string,
  value: (part: Part) => number | null,
  text: (value: number | null) => string,
): Column<Part> {
  return { key, title, value, text: (part) => text(value(part)), figure: true };
}

function columns(parts: readonly Part[]): readonly Column<Part>[] {
  const rest = (part: Part): number | null => part.rest_seconds || null;
  const since = (part: Part): number | null => part.seconds_since_load;
  return [
    {
      key: 'name',
      title: 'Phase',
      value: (part) => part.name,
      text: (part) => `${parts.indexOf(part) + 1}  ${partName(part.name)}`,
    },
    figure('rest_seconds', 'Rest before it', rest, duration),
    figure('seconds_since_load', 'Since the load', since, duration),
    figure('osds', 'OSDs', (part) => part.osds.length, String),
    ...OPERATIONS.flatMap((operation) => figuresOf(operation)),
  ];
}

function figuresOf(operation: Operation): readonly Column<Part>[] {
  const rate = (part: Part): number | null => part[operation]?.median_bytes_per_second ?? null;
  const share = (part: Part): number | null => part[operation]?.percent_of_before ?? null;
  return [
    figure(`${operation}.median_bytes_per_second`, `${operation} MiB/s`, rate, mib),
    figure(`${operation}.percent_of_before`, '% of before', share, percent),
  ];
}
