import { Component, computed, inject, input, linkedSignal } from '@angular/core';
import { Comparison, OsdChange } from '../../generated/types';
import { ChartComponent } from '../charts/chart.component';
import { palette } from '../charts/palette';
import { Api } from '../core/api';
import { everything } from '../core/everything';
import { chance, change, number } from '../core/format';
import { HostSettings } from '../core/host-settings';
import { live } from '../core/live';
import { Navigator } from '../core/navigator';
import { compareRoute } from '../rounds/choice';
import { Column, plain, TableQuery } from '../shared/data-table/column';
import { Fact } from '../shared/facts.component';
import { DifferencesComponent } from './differences.component';
import { intervalsHeight, intervalsOption } from './intervals-chart';
import { fill } from '../shared/fill';
import { PIECES } from '../shared/pieces';
import { stateText } from '../shared/state-badge.component';

const FIRST: TableQuery = { offset: 0, limit: 25, sort: '', search: '' };

/** Round b against round a: the whole change, why, and OSD by OSD. */
@Component({
  selector: 'pb-comparison',
  imports: [PIECES, ChartComponent, DifferencesComponent],
  templateUrl: './comparison.component.html',
})
export class ComparisonComponent {
  readonly a = input.required<number>();
  readonly b = input.required<number>();
  readonly #api = inject(Api);
  readonly #host = inject(HostSettings);
  readonly #navigator = inject(Navigator);
  readonly #pair = computed(() => `${this.a()} ${this.b()}`);
  /** Which of their OSDs are wanted; other rounds begin anew. */
  protected readonly query = linkedSignal<string, TableQuery>({
    source: this.#pair,
    computation: () => FIRST,
  });
  protected readonly live = live(
    (signal) => {
      const { offset, limit } = this.query();
      return this.#api.get('round/compare', { a: this.a(), b: this.b(), offset, limit }, signal);
    },
    {
      keep: true,
      remember: () => `compare ${this.a()} ${this.b()} ${JSON.stringify(this.query())}`,
    },
  );
  /** Of these two rounds: while others come, those before are none. */
  protected readonly comparison = computed(() => {
    const found = this.live.value();
    return found?.a === this.a() && found.b === this.b() ? found : null;
  });
  protected readonly swapped = computed(() => compareRoute(this.b(), this.a()));
  protected readonly others = computed(() => compareRoute(this.a(), null));
  /** In the back end's order, which is worst first. */
  protected readonly columns: readonly Column<OsdChange>[] = [
    { key: 'osd', title: 'OSD', value: (row) => row.osd },
    { key: 'host', title: 'Host', value: (row) => row.host },
    plain('verdict', 'Change', { text: (row) => stateText(row.verdict), sortable: false }),
    changed('change_percent', 'Change %', (row) => row.change_percent),
    changed('low_percent', 'From %', (row) => row.interval_percent?.[0] ?? null),
    changed('high_percent', 'To %', (row) => row.interval_percent?.[1] ?? null),
    plain('p_value', 'p', {
      help: 'How likely chance alone would show such a change; for OSDs corrected for their number (Holm).',
      text: (row) => chance(row.p_value),
      sortable: false,
      figure: true,
    }),
  ];
  protected readonly rowId = (row: OsdChange): number => row.osd;
  /** Without what stands beside them as differences of the setup. */
  protected readonly reasons = computed(() => {
    const found = this.comparison();
    const told = new Set(found?.environment.map((one) => `${one.name}: ${one.was} -> ${one.now}`));
    return found ? found.why.filter((why) => !told.has(why)) : [];
  });
  protected readonly facts = computed(() => {
    const found = this.comparison();
    if (!found) return [];
    const [low, high] = found.interval_percent ?? [null, null];
    const interval = `${change(low)} to ${change(high)}`;
    const least = `a change of ${number(found.least_percent)} % or more`;
    const fact = (name: string, text: string, help = '') => ({ name, text, help });
    return [
      fact('Change', change(found.change_percent)),
      fact(
        'Interval',
        low === null ? 'none' : interval,
        'The true change lies in this interval with 95 % confidence.',
      ),
      fact('Counts from', found.least_percent === null ? '–' : least),
      fact(
        'p',
        chance(found.p_value),
        'How likely chance alone would show such a change; for OSDs corrected for their number (Holm).',
      ),
      ...(found.osds
        ? [
            fact(
              'OSDs in both',
              fill(
                '{osds}: {better} better, {worse} worse, {same} the same, {inconclusive} not decided',
                { ...found.counts, osds: found.osds },
              ),
            ),
          ]
        : []),
      ...this.#latency(found),
    ];
  });
  protected readonly chart = computed(() => {
    const found = this.comparison();
    if (!found || found.per_osd.length === 0) return null;
    const rows = [
      { ...found, name: 'all OSDs' },
      ...found.per_osd.map((row) => ({ ...row, name: `osd.${row.osd}` })),
    ];
    return {
      option: intervalsOption(rows, found.least_percent, palette(this.#host.dark())),
      height: intervalsHeight(rows.length),
      label: fill(
        'Change in percent with its interval: all OSDs {whole}; below it {count|OSD|OSDs} from {first} to {last}.',
        {
          whole: change(found.change_percent),
          count: found.per_osd.length,
          first: change(found.per_osd[0]?.change_percent),
          last: change(found.per_osd.at(-1)?.change_percent),
        },
      ),
    };
  });

  protected readonly all = (): Promise<readonly OsdChange[]> =>
    everything(async (part) => {
      const found = await this.#api.get('round/compare', { a: this.a(), b: this.b(), ...part });
      return { rows: found.per_osd, total: found.osds };
    });

  /** Of rounds of clients: their own latency. */
  #latency({ latency }: Comparison): readonly Fact[] {
    if (!latency) return [];
    const [low, high] = latency.interval_percent;
    const interval = `${change(low)} to ${change(high)}`;
    const verdict = stateText(latency.verdict);
    const text = `${verdict}: ${change(latency.change_percent)} (${interval})`;
    return [{ name: 'Latency of the round’s clients', text }];
  }

  /** The OSD of a row of the chart, whose first is all of them. */
  protected show(index: number): void {
    const osd = this.comparison()?.per_osd[index - 1]?.osd;
    if (osd !== undefined) this.#navigator.go(`/osds/${osd}`);
  }
}

function changed(
  key: string,
  title: string,
  value: (row: OsdChange) => number | null,
): Column<OsdChange> {
  return { key, title, value, text: (row) => change(value(row)), figure: true };
}
