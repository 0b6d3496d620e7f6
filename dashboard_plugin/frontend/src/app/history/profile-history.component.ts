import { Component, computed, inject, input } from '@angular/core';
import { ChangePoint } from '../../generated/types';
import { ChartComponent } from '../charts/chart.component';
import { palette } from '../charts/palette';
import { DifferencesComponent } from './differences.component';
import { Api } from '../core/api';
import { change, number, percent } from '../core/format';
import { HostSettings } from '../core/host-settings';
import { live } from '../core/live';
import { Navigator } from '../core/navigator';
import { Pulse } from '../core/pulse';
import { compareRoute } from '../rounds/choice';
import { Column, plain } from '../shared/data-table/column';
import { Fact } from '../shared/facts.component';
import { Figures, Past, PastRow, figuresOf, rowsOf } from './past';
import { pastOption } from './past-chart';
import { SetBaselineComponent } from './set-baseline.component';
import { fill } from '../shared/fill';
import { PIECES } from '../shared/pieces';

/** One profile's rounds in a row: levels, changes and the baseline. */
@Component({
  selector: 'pb-profile-history',
  imports: [PIECES, ChartComponent, DifferencesComponent, SetBaselineComponent],
  templateUrl: './profile-history.component.html',
})
export class ProfileHistoryComponent {
  readonly profile = input.required<string>();
  readonly #api = inject(Api);
  readonly #pulse = inject(Pulse);
  readonly #navigator = inject(Navigator);
  protected readonly host = inject(HostSettings);
  protected readonly change = change;
  protected readonly live = live((signal) => this.#ask(this.profile(), signal), {
    keep: true,
    remember: () => `history ${this.profile()}`,
  });
  /** Of this profile: while another's comes, the one before is none. */
  protected readonly shown = computed(() => {
    const past = this.live.value();
    return past?.history.profile === this.profile() ? past : null;
  });
  readonly #figures = computed(() => {
    const past = this.shown();
    return past && figuresOf(past.history);
  });
  protected readonly rows = computed(() => {
    const past = this.shown();
    return past ? rowsOf(past.history) : [];
  });
  protected readonly rowId = (row: PastRow): number => row.round;
  protected readonly columns = computed(() => {
    const figures = this.#figures();
    return figures ? columns(figures) : [];
  });
  protected readonly facts = computed(() => {
    const [past, figures] = [this.shown(), this.#figures()];
    return past && figures ? this.#facts(past, figures) : [];
  });
  protected readonly chart = computed(() => {
    const [past, figures] = [this.shown(), this.#figures()];
    const newest = past?.history.points.at(-1);
    if (!past || !figures || !newest) return null;
    const found = past.history.changes.map((one) => change(one.change_percent));
    return {
      option: pastOption(past, figures, palette(this.host.dark())),
      label: fill(
        'Median of {profile} over OSDs, {count|round|rounds}, newest {newest}; changes of level: {changes}.',
        {
          profile: this.profile(),
          count: past.history.points.length,
          newest: figures.text(newest.bytes_per_second),
          changes: found.join(', ') || 'none',
        },
      ),
    };
  });

  /** Where a round is compared with the baseline; nowhere for the baseline itself. */
  protected compared(round: number): string | null {
    const baseline = this.shown()?.history.baseline ?? null;
    return baseline === null || baseline === round ? null : compareRoute(baseline, round);
  }

  protected said(one: ChangePoint): string {
    const figures = this.#figures();
    return fill('({before} over {rounds|round|rounds}, {after} over {more}) from', {
      before: figures?.text(one.bytes_per_second_before) ?? '',
      after: figures?.text(one.bytes_per_second_after) ?? '',
      rounds: one.rounds_before,
      more: one.rounds_after,
    });
  }

  protected show(index: number): void {
    const round = this.shown()?.history.points[index]?.round;
    if (round !== undefined) this.#navigator.go(`/rounds/${round}`);
  }

  async #ask(profile: string, signal: AbortSignal): Promise<Past> {
    this.#pulse.rounds();
    const [history, baselines] = await Promise.all([
      this.#api.get('profile/history', { profile }, signal),
      this.#api.page('baseline', {}, signal),
    ]);
    const baseline = baselines.rows.find((one) => one.profile === profile) ?? null;
    return { history, baseline };
  }

  #facts({ history, baseline }: Past, figures: Figures): readonly Fact[] {
    const few = 'not known yet: there are too few rounds';
    const { cv_percent: cv, least_percent: least } = history;
    const rate = baseline?.bytes_per_second ?? null;
    const held = {
      round: baseline?.round ?? '',
      figure: rate === null ? 'no data' : figures.text(rate),
    };
    return [
      {
        name: 'Baseline',
        text: baseline ? fill('round {round}, {figure}', held) : 'none set',
      },
      {
        name: 'From round to round',
        text: cv === null ? few : `${percent(cv, 1)} (CV)`,
      },
      {
        name: 'Counts from',
        text:
          least === null ? few : `a change of ${percent(least, 1)} or more, over several rounds`,
      },
    ];
  }
}

const MARKS = { baseline: '◆ baseline', change: '↕ new level' } as const;

function columns(figures: Figures): readonly Column<PastRow>[] {
  return [
    plain('round', 'Round'),
    plain('at', 'Started'),
    {
      key: 'figure',
      title: figures.unit,
      value: (row) => figures.of(row.bytes_per_second),
      text: (row) => number(figures.of(row.bytes_per_second)),
      sortable: true,
      figure: true,
    },
    {
      key: 'mark',
      title: 'Mark',
      value: (row) => row.mark,
      text: (row) => (row.mark ? MARKS[row.mark] : ''),
    },
    {
      key: 'since_last',
      title: 'Changes of the setup since the round before',
      value: (row) =>
        row.since_last.map((one) => `${one.name}: ${one.was} → ${one.now}`).join('; '),
    },
    { key: 'do', title: 'Actions', value: () => null, files: [] },
  ];
}
