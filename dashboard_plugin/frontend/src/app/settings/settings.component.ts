import { Component, computed } from '@angular/core';
import { ModuleOption } from '../../generated/types';
import { livePage } from '../core/api';
import { short } from '../core/format';
import { MclockComponent } from '../mclock/mclock.component';
import { helpOf, optionText } from './option-words';
import { PIECES } from '../shared/pieces';
import { told } from './thresholds';

/** They are changed elsewhere. */
const POLL_MS = 30_000;
const GROUPS: Readonly<Record<ModuleOption['group'], string>> = {
  watch: 'Watch',
  thresholds: 'Thresholds',
  rounds: 'Rounds',
  history: 'How long data is kept',
  metrics: 'Metrics',
  health: 'Health checks',
};
const ORDER = Object.keys(GROUPS) as ModuleOption['group'][];

/** The module's options and thresholds by what they are about, and the capacities of mClock. */
@Component({
  selector: 'pb-settings',
  imports: [PIECES, MclockComponent],
  templateUrl: './settings.component.html',
})
export class SettingsComponent {
  protected readonly options = livePage('option', POLL_MS);
  protected readonly thresholds = livePage('option/threshold', POLL_MS);
  protected readonly groups = computed(() => {
    const rows = this.options.value()?.rows ?? [];
    return ORDER.flatMap((group) => {
      const own = rows.filter((one) => one.group === group);
      const open = group === 'watch' || own.some((one) => one.value !== one.default);
      return own.length ? [{ group, title: GROUPS[group], rows: own, open }] : [];
    });
  });
  protected readonly told = computed(() => told(this.thresholds.value()?.rows ?? []));
  protected readonly shown = short;

  protected value(option: ModuleOption): string {
    return optionText(option.value, option);
  }

  protected initial(option: ModuleOption): string {
    return optionText(option.default, option);
  }

  protected help(option: ModuleOption): string {
    return helpOf(option);
  }
}
