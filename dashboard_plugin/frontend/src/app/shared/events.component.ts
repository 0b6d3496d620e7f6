import { Component, computed, input } from '@angular/core';
import { ClusterLatency, Event } from '../../generated/types';
import { LinkDirective } from './link.directive';
import { TimeComponent } from './time.component';
import { fill } from './fill';

const NAMED = 8;
const MORE = {
  round: 'Not shown: {count|older round|older rounds}',
  finding: 'Not shown: {count|older finding|older findings}',
  restart: 'Not shown: {count|older time|older times} at which OSDs restarted',
  down: 'Not shown: {count|older time|older times} at which OSDs went down or out',
  config: 'Not shown: {count|older change|older changes} of the configuration',
} as const;
const KINDS = ['round', 'finding', 'restart', 'down', 'config'] as const;

/** What happened, newest first: rounds, findings, restarts, changes of the configuration. */
@Component({
  selector: 'pb-events',
  imports: [LinkDirective, TimeComponent],
  template: `
    @if (events().length) {
      <ul class="pb-events">
        @for (event of events(); track $index) {
          <li>
            <span class="pb-quiet"><pb-time [at]="event.at" /></span>&ngsp;
            @switch (event.kind) {
              @case ('round') {
                <a [pbLink]="'/rounds/' + event.id"
                  >Round {{ event.id ?? '' }} ({{ event.name }})</a
                >
                {{ event.text }}
              }
              @case ('finding') {
                <a [pbLink]="'/findings/' + event.id">Finding {{ event.id ?? '' }}:</a>
                {{ event.text }}
              }
              @case ('config') {
                Configuration: {{ event.name }} from {{ event.before ?? 'not set' }} to
                {{ event.after ?? 'not set' }}
              }
              @case ('restart') {
                Restarted: {{ osds(event) }}
              }
              @case ('down') {
                Went down or out: {{ osds(event) }}
              }
            }
          </li>
        }
      </ul>
    } @else {
      <p class="pb-empty">No rounds, findings, restarts or changes.</p>
    }
    @for (sentence of more(); track sentence) {
      <p class="pb-quiet">{{ sentence }}</p>
    }
    @if (unknown(); as sentence) {
      <p class="pb-quiet">{{ sentence }}</p>
    }
  `,
})
export class EventsComponent {
  readonly events = input.required<readonly Event[]>();
  /** By kind how many older ones are not among them. */
  readonly leftOut = input.required<Readonly<Record<string, number>>>();
  /** "told", "hidden", or why changes of the configuration are not known. */
  readonly configuration = input.required<Pick<ClusterLatency, 'configuration'>>();
  protected readonly more = computed(() =>
    KINDS.filter((kind) => this.leftOut()[kind]).map((kind) =>
      fill(MORE[kind], { count: this.leftOut()[kind] ?? 0 }),
    ),
  );
  protected readonly unknown = computed(() => {
    const why = this.configuration().configuration;
    if (why === 'told') return '';
    return why === 'hidden'
      ? 'Changes of the configuration are not shown: your roles lack config-opt read.'
      : `Changes of the configuration are not known: ${why}`;
  });

  protected osds({ osds, osds_left_out }: Event): string {
    const more = Math.max(0, osds.length - NAMED) + osds_left_out;
    return (
      osds
        .slice(0, NAMED)
        .map((osd) => `osd.${osd}`)
        .join(', ') + (more ? ` + ${more}` : '')
    );
  }
}
