import { ChangeDetectionStrategy, Component, computed, inject } from '@angular/core';
import { Advice, Enclosure, Finding, Laggy, Multipath } from '../../generated/types';
import { Api } from '../core/api';
import { MOST } from '../core/everything';
import { Page } from '../core/http';
import { live } from '../core/live';
import { Navigator } from '../core/navigator';
import { withQuery } from '../core/route';
import { AnswerComponent } from '../shared/answer.component';
import { CoverageComponent } from '../shared/coverage.component';
import { CellDirective } from '../shared/data-table/cell.directive';
import { Column } from '../shared/data-table/column';
import { DataTableComponent } from '../shared/data-table/data-table.component';
import { LinkDirective } from '../shared/link.directive';
import { StateBadgeComponent } from '../shared/state-badge.component';
import { TargetComponent, targetText } from '../shared/target.component';
import { TimeComponent } from '../shared/time.component';
import { WatchStateComponent } from '../shared/watch-state.component';
import { Problem, SEVERITIES, SORTS, Sort, problems } from './problems';
import { fill } from '../shared/fill';
import { TEXTS } from '../shared/words';

const POLL_MS = 15_000;
/** Advice is looked for every 20 s. */
const ADVICE_MS = 30_000;

interface State {
  readonly findings: Page<Finding>;
  readonly laggy: Laggy;
  readonly enclosures: Page<Enclosure>;
  readonly paths: Page<Multipath>;
}

interface Choice {
  readonly word: string;
  readonly text: string;
  readonly count: number;
  readonly on: boolean;
}

/** All that is wrong in one list: findings, laggy PGs, hardware, advice; filters are in the route. */
@Component({
  selector: 'pb-wrong',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [
    AnswerComponent,
    CellDirective,
    CoverageComponent,
    DataTableComponent,
    LinkDirective,
    StateBadgeComponent,
    TargetComponent,
    TimeComponent,
    WatchStateComponent,
  ],
  templateUrl: './wrong.component.html',
})
export class WrongComponent {
  readonly #api = inject(Api);
  readonly #navigator = inject(Navigator);
  protected readonly fill = fill;
  protected readonly state = live((signal) => this.#state(signal), {
    every: () => POLL_MS,
    keep: true,
    remember: () => 'wrong',
  });
  /** Its checks take longer than all else: the list does not wait for them. */
  protected readonly advice = live<Page<Advice>>((signal) => this.#api.doctor(signal), {
    every: () => ADVICE_MS,
    keep: true,
    remember: () => 'doctor',
  });
  readonly #all = computed(() => {
    const state = this.state.value();
    if (!state) return [];
    const { findings, laggy, enclosures, paths } = state;
    const advice = this.advice.value()?.rows ?? [];
    const told = { findings: findings.rows, enclosures: enclosures.rows, paths: paths.rows };
    return problems({ ...told, laggy, advice }, (one) => one.message);
  });
  readonly #query = computed(() => this.#navigator.route().query);
  protected readonly rows = computed(() => {
    const { sort, severity } = this.#query();
    return this.#all().filter(
      (one) => (!sort || one.sort === sort) && (!severity || one.severity === severity),
    );
  });
  readonly #sorts = computed(() => {
    const { sort, severity } = this.#query();
    const left = this.#all().filter((one) => !severity || one.severity === severity);
    return this.#choices(SORTS, (word) => TEXTS[`wrong.sort.${word}`], 'sort', sort, left);
  });
  readonly #severities = computed(() => {
    const { sort, severity } = this.#query();
    const left = this.#all().filter((one) => !sort || one.sort === sort);
    const text = (word: (typeof SEVERITIES)[number]): string => TEXTS[`word.${word}`];
    return this.#choices(SEVERITIES, text, 'severity', severity, left);
  });
  protected readonly filters = computed(() => [
    { key: 'sort' as const, label: 'Kind', choices: this.#sorts() },
    { key: 'severity' as const, label: 'Severity', choices: this.#severities() },
  ]);
  protected readonly filtered = computed(() => this.rows().length < this.#all().length);
  /** What the answers leave out: no list has more than 500 entries. */
  protected readonly left = computed(() => {
    const state = this.state.value();
    const pages = state && [state.findings, state.enclosures, state.paths, this.advice.value()];
    return (pages ?? []).reduce((sum, page) => sum + (page ? page.total - page.rows.length : 0), 0);
  });
  protected readonly columns = computed((): readonly Column<Problem>[] => [
    { key: 'severity', title: 'Severity', value: (row) => row.severity },
    {
      key: 'sort',
      title: 'Kind',
      value: (row) => row.sort,
      text: (row) => TEXTS[`wrong.sort.${row.sort}`],
      sortable: true,
      minor: true,
    },
    {
      key: 'target',
      title: 'Target',
      value: (row) => targetText(row.target),
      sortable: true,
    },
    { key: 'text', title: 'Problem', value: (row) => row.text },
    { key: 'since', title: 'Since', value: (row) => row.since, sortable: true },
  ]);
  protected readonly id = (row: Problem): string => row.key;

  protected choose(which: 'sort' | 'severity', word: string): void {
    const before = this.#query();
    const query = { sort: before['sort'] ?? null, severity: before['severity'] ?? null };
    this.#navigator.go(
      withQuery('/wrong', { ...query, [which]: before[which] === word ? null : word }),
    );
  }

  #choices<W extends Sort | (typeof SEVERITIES)[number]>(
    words: readonly W[],
    text: (word: W) => string,
    which: 'sort' | 'severity',
    chosen: string | undefined,
    left: readonly Problem[],
  ): readonly Choice[] {
    return words.map((word) => ({
      word,
      text: text(word),
      count: left.filter((one) => one[which] === word).length,
      on: chosen === word,
    }));
  }

  async #state(signal: AbortSignal): Promise<State> {
    const all = { limit: MOST };
    const [findings, laggy, enclosures, paths] = await Promise.all([
      this.#api.findings(all, signal),
      this.#api.laggy(signal),
      this.#api.enclosures({ ...all, sort: '+state' }, signal),
      this.#api.multipaths({ ...all, sort: '+state' }, signal),
    ]);
    // Of paths only those that are not fine are asked for to be shown; the others are no rest.
    const bad = paths.rows.filter(({ state }) => state !== 'ok');
    const total = bad.length < paths.rows.length ? bad.length : paths.total;
    return { findings, laggy, enclosures, paths: { rows: bad, total } };
  }
}
