import { share } from '../core/format';
import { Column, figure, plain } from '../shared/data-table/column';
import { Component, computed, inject } from '@angular/core';
import { Episode, LaggyOsd, LaggyPool, Suspect } from '../../generated/types';
import { ChartComponent } from '../charts/chart.component';
import { palette } from '../charts/palette';
import { liveGet } from '../core/api';
import { HostSettings } from '../core/host-settings';
import { Navigator } from '../core/navigator';
import { CoverageComponent } from '../shared/coverage.component';
import { WatchStateComponent } from '../shared/watch-state.component';
import { StockLinksComponent } from '../shared/stock-links.component';
import { episodeColumns, episodesOption, SECONDS, suspectsText, suspectText } from './episodes';
import { fill } from '../shared/fill';
import { PIECES } from '../shared/pieces';

const POLL_MS = 10_000;

const OSD_COLUMNS: readonly Column<LaggyOsd>[] = [
  plain('osd', 'OSD'),
  plain('host', 'Host'),
  figure('share', 'Share', share, 'How much of its own PGs’ time was laggy.'),
  SECONDS,
];
const POOL_COLUMNS: readonly Column<LaggyPool>[] = [
  plain('pool', 'Pool'),
  plain('laggy', 'Laggy now', { figure: true }),
  plain('wait', 'Waiting now', { figure: true }),
  SECONDS,
];

/** Laggy PGs: now, by OSD and pool, and the episodes with who was behind them. */
@Component({
  selector: 'pb-laggy',
  imports: [PIECES, ChartComponent, CoverageComponent, WatchStateComponent, StockLinksComponent],
  templateUrl: './laggy.component.html',
})
export class LaggyComponent {
  readonly #host = inject(HostSettings);
  readonly #navigator = inject(Navigator);
  protected readonly fill = fill;
  protected readonly looks = ['laggy_pgs'];
  protected readonly live = liveGet('laggy', POLL_MS);
  protected readonly laggy = this.live.value;
  readonly #now = computed(() => this.laggy()?.now.laggy ?? 0);
  protected readonly columns = computed(() => ({
    episodes: episodeColumns(this.#now()),
    osds: OSD_COLUMNS,
    pools: POOL_COLUMNS,
  }));
  protected readonly chart = computed(() => {
    const episodes = this.laggy()?.episodes ?? [];
    if (episodes.length === 0) return null;
    const peak = Math.max(...episodes.map((one) => one.peak));
    return {
      option: episodesOption(episodes, this.#now(), palette(this.#host.dark())),
      label: fill('Laggy PGs over time: {count|episode|episodes}, at most {peak|PG|PGs} at once.', {
        count: episodes.length,
        peak,
      }),
    };
  });
  protected readonly begun = (row: Episode): string => row.from;
  protected readonly osdOf = (row: LaggyOsd): number => row.osd;
  protected readonly poolOf = (row: LaggyPool): string => row.pool;

  protected text(episode: Episode): string {
    return suspectsText(episode);
  }

  protected about(suspect: Suspect): string {
    return suspectText(suspect).replace(/^\S+ /, '');
  }

  /** How many suspects are not named. */
  protected more({ suspects_left_out: count }: Episode): string {
    return count ? `; ${count} more` : '';
  }

  protected open({ index }: { index: number }): void {
    const round = this.laggy()?.episodes[index]?.round;
    if (typeof round === 'number') this.#navigator.go(`/rounds/${round}`);
  }
}
