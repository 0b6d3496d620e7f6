import { Component, computed, inject } from '@angular/core';
import { Problem } from '../../generated/types';
import { Navigator } from '../core/navigator';
import { Pulse } from '../core/pulse';
import { withQuery } from '../core/route';
import { DoctorComponent } from '../doctor/doctor.component';
import { AlertsComponent } from '../findings/alerts.component';
import { FindingsComponent } from '../findings/findings.component';
import { CoverageComponent } from '../shared/coverage.component';
import { Column, plain } from '../shared/data-table/column';
import { targetText } from '../shared/target.component';
import { WatchStateComponent } from '../shared/watch-state.component';
import { fill } from '../shared/fill';
import { problemRoute } from './problem';
import { PIECES } from '../shared/pieces';
import { stateText } from '../shared/state-badge.component';

const NAMES = {
  slow: 'Slow',
  laggy: 'Laggy PGs',
  hardware: 'Hardware',
  advice: 'Advice',
  operation: 'Rounds and database',
} as const;
const KINDS = ['slow', 'laggy', 'hardware', 'advice', 'operation'] as const;
const SEVERITIES = ['error', 'warning', 'info'] as const;

/** A line of the list; `key` tells it from all others. */
type Line = Problem & { readonly key: string };

interface Choice {
  readonly word: string;
  readonly text: string;
  readonly count: number;
  readonly on: boolean;
}

/** All that is wrong in one list, as the module tells it; filters are in the route. */
@Component({
  selector: 'pb-wrong',
  imports: [
    PIECES,
    AlertsComponent,
    CoverageComponent,
    DoctorComponent,
    FindingsComponent,
    WatchStateComponent,
  ],
  templateUrl: './wrong.component.html',
})
export class WrongComponent {
  readonly #navigator = inject(Navigator);
  protected readonly fill = fill;
  protected readonly status = inject(Pulse).status;
  readonly #all = computed((): readonly Line[] =>
    (this.status.value()?.problems ?? []).map((one, at) => ({
      ...one,
      key: `${one.page} ${one.finding ?? ''} ${one.target.kind} ${one.target.id} ${at}`,
    })),
  );
  /** Not of the module's first minute, in which it has not looked yet. */
  protected readonly known = computed(() => this.status.value()?.problems !== undefined);
  protected readonly left = computed(() => this.status.value()?.problems_left_out ?? 0);
  readonly #query = computed(() => this.#navigator.route().query);
  /** Whether the findings that are over are listed, too. */
  protected readonly closed = computed(() => this.#query()['closed'] === '1');
  protected readonly rows = computed(() => {
    const { sort, severity } = this.#query();
    return this.#all().filter(
      (one) => (!sort || one.kind === sort) && (!severity || one.severity === severity),
    );
  });
  readonly #sorts = computed(() => {
    const { sort, severity } = this.#query();
    const left = this.#all().filter((one) => !severity || one.severity === severity);
    return this.#choices(KINDS, (word) => NAMES[word], 'sort', sort, left);
  });
  readonly #severities = computed(() => {
    const { sort, severity } = this.#query();
    const left = this.#all().filter((one) => !sort || one.kind === sort);
    return this.#choices(SEVERITIES, stateText, 'severity', severity, left);
  });
  protected readonly filters = computed(() => [
    { key: 'sort' as const, label: 'Kind', choices: this.#sorts() },
    { key: 'severity' as const, label: 'Severity', choices: this.#severities() },
  ]);
  protected readonly filtered = computed(() => this.rows().length < this.#all().length);
  protected readonly columns = computed((): readonly Column<Line>[] => [
    { key: 'severity', title: 'Severity', value: (row) => row.severity },
    {
      key: 'kind',
      title: 'Kind',
      value: (row) => row.kind,
      text: (row) => NAMES[row.kind],
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
    plain('since', 'Since'),
  ]);
  protected readonly id = (row: Line): string => row.key;

  protected readonly route = problemRoute;

  protected showClosed(closed: boolean): void {
    this.#go({ closed: closed ? '1' : null });
  }

  protected choose(which: 'sort' | 'severity', word: string): void {
    this.#go({ [which]: this.#query()[which] === word ? null : word });
  }

  #go(change: Readonly<Record<string, string | null>>): void {
    const { sort = null, severity = null, closed = null } = this.#query();
    this.#navigator.go(withQuery('/wrong', { sort, severity, closed, ...change }));
  }

  #choices<W extends Problem['kind'] | Problem['severity']>(
    words: readonly W[],
    text: (word: W) => string,
    which: 'sort' | 'severity',
    chosen: string | undefined,
    left: readonly Line[],
  ): readonly Choice[] {
    return words.map((word) => ({
      word,
      text: text(word),
      count: left.filter((one) => one[which === 'sort' ? 'kind' : which] === word).length,
      on: chosen === word,
    }));
  }
}
