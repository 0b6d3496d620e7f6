import { Component, computed, input } from '@angular/core';
import { Bay } from '../../generated/types';
import { TenantsComponent } from '../shared/tenants.component';
import { columnsOf, draw, tally } from './bays';

/** An enclosure's slots in rows, in the order of their numbers: each says its state in words too. */
@Component({
  selector: 'pb-slots',
  imports: [TenantsComponent],
  template: `
    <p class="pb-quiet">{{ tally() }}</p>
    <div class="pb-shelf">
      <ol class="pb-slots" [attr.aria-label]="label()" [style.--columns]="columns()">
        @for (one of drawn(); track $index) {
          <li class="pb-slot pb-slot--{{ one.look }}" [title]="one.about">
            @if (one.bay.slot !== null) {
              <span class="pb-slot__number" aria-hidden="true">{{ one.bay.slot }}</span>
            }
            @if (one.bay.osds.length) {
              <span class="pb-slot__name"><pb-tenants [of]="one.bay" /></span>
            } @else {
              <span class="pb-slot__name" aria-hidden="true">{{ one.name }}</span>
            }
            <span class="pb-hidden">{{ one.about }}</span>
            <span class="pb-slot__word" aria-hidden="true">{{ one.sign }} {{ one.word }}</span>
          </li>
        }
      </ol>
    </div>
  `,
})
export class SlotsComponent {
  readonly bays = input.required<readonly Bay[]>();
  readonly label = input.required<string>();
  protected readonly drawn = computed(() => this.bays().map((bay) => draw(bay)));
  protected readonly columns = computed(() => columnsOf(this.bays().length));
  protected readonly tally = computed(() => tally(this.drawn()));
}
