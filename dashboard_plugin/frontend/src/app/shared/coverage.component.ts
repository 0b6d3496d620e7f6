import { Component, computed, input } from '@angular/core';
import { Gap, Look } from '../../generated/types';
import { livePage } from '../core/api';
import { AnswerComponent } from './answer.component';
import { CommandComponent } from './command.component';
import { fill } from './fill';

/** It changes by the minute. */
const POLL_MS = 30_000;
/** Units named at most in one place. */
const NAMED = 5;

/** Gaps that the same step completes; `on` are the hosts where a command is to be run. */
interface Remedy {
  readonly command: string | null;
  readonly help: string;
  readonly on: string[];
  readonly gaps: { readonly look: Look; readonly gap: Gap }[];
}

/**
 * What could not be looked at, by what would complete it, so that "nothing" says what of: one line
 * when closed. `looks` are names of the module's looks; without any it is about all of them.
 */
@Component({
  selector: 'pb-coverage',
  imports: [AnswerComponent, CommandComponent],
  template: `
    @if (live.refusal()) {
      <pb-answer [live]="live" />
    }
    @if (shown()) {
      <details class="pb-details">
        <summary>{{ summary() }}</summary>
        @if (remedies().length) {
          <div class="pb-table__scroll">
            <table class="pb-table">
              <thead>
                <tr>
                  <th scope="col">Check</th>
                  <th scope="col">Not looked at</th>
                  <th scope="col">Why</th>
                </tr>
              </thead>
              @for (remedy of remedies(); track remedy) {
                <tbody>
                  <tr>
                    <th scope="rowgroup" colspan="3">
                      @if (remedy.command; as command) {
                        Run on {{ named(remedy.on) }}: <pb-command [text]="command" />
                      } @else {
                        {{ remedy.help || 'Nothing to do, or only time helps' }}
                      }
                    </th>
                  </tr>
                  @for (row of remedy.gaps; track $index) {
                    <tr>
                      <td>
                        <span class="pb-words">{{ row.look.what }}</span>
                      </td>
                      <td data-title="Not looked at">{{ missing(row.look, row.gap) }}</td>
                      <td data-title="Why">{{ row.gap.why }}</td>
                    </tr>
                  }
                </tbody>
              }
            </table>
          </div>
        }
        @if (whole().length) {
          <p class="pb-quiet">Complete: {{ whole().join(', ') }}.</p>
        }
      </details>
    }
  `,
})
export class CoverageComponent {
  readonly looks = input<readonly string[]>([]);
  protected readonly live = livePage('coverage', POLL_MS);
  protected readonly shown = computed(() => {
    const rows = this.live
      .value()
      ?.rows.filter((one) => this.looks().length === 0 || this.looks().includes(one.name));
    return rows?.length ? rows : null;
  });
  /** Whether these looks look at everything; null: not known now. */
  readonly complete = computed(() =>
    this.live.refusal() ? null : (this.shown()?.every((one) => one.complete) ?? null),
  );
  /** What nothing is missing in. */
  protected readonly whole = computed(() =>
    (this.shown() ?? [])
      .filter((one) => one.complete)
      .map(({ what, summary }) => `${what} (${summary})`),
  );
  protected readonly summary = computed(() =>
    coverageText(this.shown()?.length ?? 0, this.whole().length),
  );
  /** The steps that complete the most come first, what no step completes last. */
  protected readonly remedies = computed((): readonly Remedy[] => {
    const by = new Map<string, Remedy>();
    for (const look of this.shown() ?? [])
      for (const gap of look.gaps) {
        const { command, help } = gap;
        const remedy = by.get(command ?? help) ?? { command, help, on: [], gaps: [] };
        remedy.on.push(...gap.on.filter((host) => !remedy.on.includes(host)));
        remedy.gaps.push({ look, gap });
        by.set(command ?? help, remedy);
      }
    const weight = ({ command, help, gaps }: Remedy): number => (command || help ? gaps.length : 0);
    return [...by.values()].sort((a, b) => weight(b) - weight(a));
  });

  protected missing(look: Look, { count, units, partly }: Gap): string {
    const names = units.length ? `: ${this.named(units, count)}` : '';
    return `${count} of ${look.total}${partly ? ', in part' : ''}${names}`;
  }

  protected named(units: readonly string[], count = units.length): string {
    const more = count - Math.min(units.length, NAMED);
    return units.slice(0, NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
  }
}

/** How much is looked at, in a line. */
export function coverageText(checks: number, complete: number): string {
  const text =
    complete < checks
      ? '{open} of {checks|check|checks} {checks#is|are} incomplete'
      : 'Nothing is missing in {checks|check|checks}';
  return fill(text, { checks, open: checks - complete });
}
