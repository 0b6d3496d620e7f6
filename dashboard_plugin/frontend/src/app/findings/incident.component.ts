import { Component, computed, inject, input, linkedSignal, untracked } from '@angular/core';
import { Finding, Incident } from '../../generated/types';
import { ChartComponent } from '../charts/chart.component';
import { palette } from '../charts/palette';
import { Api } from '../core/api';
import { channelText } from '../core/channels';
import { duration, localTime, milliseconds } from '../core/format';
import { HostSettings } from '../core/host-settings';
import { live } from '../core/live';
import { mapRoute } from '../map/marking';
import { Span, SPAN_NAMES, SPANS } from '../osds/series';
import { AnswerComponent } from '../shared/answer.component';
import { EventsComponent } from '../shared/events.component';
import { LinkDirective } from '../shared/link.directive';
import { bandOption, bandPoints } from './band-chart';
import { fill } from '../shared/fill';

const POLL_MS = 60_000;
const EDGES = 600;

interface Answer {
  readonly span: Span;
  readonly incident: Incident;
}

/** Around a finding: its OSDs against their peers, and what changed then. */
@Component({
  selector: 'pb-incident',
  imports: [AnswerComponent, ChartComponent, EventsComponent, LinkDirective],
  templateUrl: './incident.component.html',
})
export class IncidentComponent {
  readonly finding = input.required<Finding>();
  readonly #id = computed(() => this.finding().id);
  readonly #api = inject(Api);
  readonly #host = inject(HostSettings);
  protected readonly SPAN_NAMES = SPAN_NAMES;
  protected readonly spans = SPANS;
  /** So long that what was before the begin is seen, too. */
  protected readonly span = linkedSignal<number, Span>({
    // Not of the finding: each poll brings it anew, and would undo what was chosen.
    source: this.#id,
    computation: () => spanSince(untracked(this.finding).first_seen),
  });
  protected readonly live = live((signal) => this.#ask(this.#id(), this.span(), signal), {
    every: () => POLL_MS,
    keep: true,
    remember: () => `incident ${this.#id()} ${this.span()}`,
  });
  /** Of this finding; of another span only while that of this span is on its way. */
  readonly #answer = computed(() => {
    const found = this.live.value();
    if (found?.incident.finding !== this.#id()) return null;
    return found.span === this.span() || this.live.refusal() === null ? found : null;
  });
  protected readonly incident = computed(() => this.#answer()?.incident ?? null);
  protected readonly mapRoute = computed(() => mapRoute(this.finding().target));
  protected readonly drawn = computed(() => {
    const answer = this.#answer();
    if (!answer?.incident.series) return null;
    const { series, began } = answer.incident;
    const own = this.#own(series.osds);
    const points = bandPoints(series);
    const last = points.at(-1);
    const channel = channelText(series.channel);
    const { peers, all_peers: all, cohort } = series;
    return {
      help: fill(
        'Latency of {own} ({channel}); grey: the middle 80 % of {of} {all|peer|peers} ({cohort}). A dashed line marks when it began.',
        { own, channel, of: peers === all ? 'its' : `${peers} of its`, all, cohort },
      ),
      empty: points.length === 0,
      option: bandOption(series, own, began, palette(this.#host.dark())),
      label: `Latency ${channel} of ${own} against its peers, ${SPAN_NAMES[answer.span]}: last ${milliseconds(last?.own)} ms, peers ${milliseconds(last?.median)} ms. It began ${localTime(began)}.`,
    };
  });
  /** How much of the time is known, where that is not all of it. */
  protected readonly watched = computed(() => {
    const found = this.incident();
    if (!found) return '';
    const all = (Date.parse(found.changes_to ?? '') - Date.parse(found.changes_from ?? '')) / 1000;
    const known = found.known_seconds;
    // The newest minutes, and those at the ends, are not complete.
    if (known >= all - EDGES) return '';
    return `Restarts, and OSDs that went down, are known for ${duration(known)} of these ${duration(all)}.`;
  });
  /** Without the finding itself. */
  protected others({ events, finding }: Incident): Incident['events'] {
    return events.filter(({ kind, id }) => kind !== 'finding' || id !== finding);
  }

  #own(osds: readonly number[]): string {
    const [first] = osds;
    return osds.length === 1
      ? `osd.${first}`
      : fill('Median of {count|OSD|OSDs}', { count: osds.length });
  }

  async #ask(id: number, span: Span, signal: AbortSignal): Promise<Answer> {
    return {
      span,
      incident: await this.#api.get('finding/ID/incident', { ID: id, since: span }, signal),
    };
  }
}

/** So long that what was before the begin is seen, too. */
export function spanSince(firstSeen: string | null): Span {
  const hours = (Date.now() - Date.parse(firstSeen ?? '')) / 3_600_000;
  if (hours <= 0.7) return '1h';
  return hours <= 17 ? '1d' : '30d';
}
