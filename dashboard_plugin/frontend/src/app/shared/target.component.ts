import { Component, computed, input } from '@angular/core';
import { Target } from '../../generated/types';
import { LinkDirective } from './link.directive';

/** What a finding is about, in words: "osd.3", "host a", "the cluster". */
export function targetText({ kind, id }: Target): string {
  if (kind === 'osd') return `osd.${id}`;
  if (kind === 'cluster') return 'the cluster';
  return kind === 'settings' ? kind : `${kind} ${id}`;
}

/** Where to look at what a finding is about; null where there is no such page. */
export function targetRoute({ kind, id }: Target): string | null {
  if (kind === 'osd') return /^\d{1,9}$/.test(id) ? `/osds/${id}` : null;
  if (kind === 'host') return `/hosts/${encodeURIComponent(id)}`;
  if (kind === 'rack') return `/map?layer=ratio&group=rack&mark=${encodeURIComponent(id)}`;
  if (kind === 'enclosure') return `/enclosures/${encodeURIComponent(id)}`;
  if (kind === 'cohort') return '/map?layer=ratio';
  if (kind === 'profile') return `/history?profile=${encodeURIComponent(id)}`;
  if (kind === 'schedule') return '/schedules';
  return kind === 'pool' ? '/laggy' : null;
}

/** What a finding is about, with the way to it where it has a page. */
@Component({
  selector: 'pb-target',
  imports: [LinkDirective],
  template: `@if (route(); as way) {
      <a [pbLink]="way">{{ text() }}</a>
    } @else {
      {{ text() }}
    }`,
})
export class TargetComponent {
  readonly target = input.required<Target>();
  protected readonly text = computed(() => targetText(this.target()));
  protected readonly route = computed(() => targetRoute(this.target()));
}
