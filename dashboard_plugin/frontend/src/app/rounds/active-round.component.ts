import { Component, inject } from '@angular/core';
import { Pulse } from '../core/pulse';
import { LinkDirective } from '../shared/link.directive';
import { ProgressComponent } from './progress.component';

/** The round that runs as a card, where it is not the page's own. */
@Component({
  selector: 'pb-active-round',
  imports: [LinkDirective, ProgressComponent],
  template: `
    @if (active(); as round) {
      <section class="pb-card pb-active" aria-labelledby="pb-active-title">
        <header class="pb-card__head">
          <h2 id="pb-active-title">Round {{ round.id }} is running</h2>
          <span class="pb-head__space"></span>
          <a [pbLink]="'/rounds/' + round.id">Details</a>
        </header>
        <pb-progress />
      </section>
    } @else {
      <pb-progress />
    }
  `,
})
export class ActiveRoundComponent {
  protected readonly active = inject(Pulse).active;
}
