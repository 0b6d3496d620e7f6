import { Component, computed, input } from '@angular/core';
import { LinkDirective } from './link.directive';

/** Whose drive it is: OSDs that have their data on it, and those that have only their DB or WAL. */
export interface Drive {
  readonly osds: readonly number[];
  readonly db_of: readonly number[];
}

/** So many are named, the rest is counted. */
const NAMED = 4;

export function isTaken({ osds, db_of }: Drive): boolean {
  return osds.length + db_of.length > 0;
}

/** "osd.1, osd.2", or "DB of 12 OSDs" where none has its data on it; empty for nobody's. */
export function tenantsText({ osds, db_of }: Drive): string {
  const more = osds.length > NAMED ? [`+${osds.length - NAMED}`] : [];
  const names = osds.slice(0, NAMED).map((osd) => `osd.${osd}`);
  if (names.length) return [...names, ...more].join(', ');
  return db_of.length ? `DB of ${db_of.length} OSDs` : '';
}

/** The OSDs of a drive, each a link. */
@Component({
  selector: 'pb-tenants',
  imports: [LinkDirective],
  template: `
    @for (osd of named(); track osd) {
      <a [pbLink]="'/osds/' + osd">osd.{{ osd }}</a
      >{{ $last && !more() ? '' : ', ' }}
    } @empty {
      <span [title]="dbOf()">{{ text() || 'none' }}</span>
    }
    @if (more()) {
      <span>+{{ more() }}</span>
    }
  `,
})
export class TenantsComponent {
  readonly of = input.required<Drive>();
  protected readonly named = computed(() => this.of().osds.slice(0, NAMED));
  protected readonly more = computed(() => this.of().osds.length - this.named().length);
  protected readonly text = computed(() => tenantsText(this.of()));
  protected readonly dbOf = computed(() =>
    this.of()
      .db_of.map((osd) => `osd.${osd}`)
      .join(', '),
  );
}
