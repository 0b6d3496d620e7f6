import { ChangeDetectionStrategy, Component } from '@angular/core';
import { translator } from '../i18n/i18n';
import { ActiveRoundComponent } from './active-round.component';
import { RoundsListComponent } from './rounds-list.component';

/** All rounds, and the one that runs. */
@Component({
  selector: 'pb-rounds',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [ActiveRoundComponent, RoundsListComponent],
  template: `
    <pb-active-round />
    <pb-rounds-list [heading]="t('rounds.title')" />
  `,
})
export class RoundsComponent {
  protected readonly t = translator();
}
