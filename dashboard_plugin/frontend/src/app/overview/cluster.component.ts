import { Component, computed, inject, signal } from '@angular/core';
import { ClusterLatency } from '../../generated/types';
import { ChartComponent } from '../charts/chart.component';
import { palette } from '../charts/palette';
import { Api } from '../core/api';
import { Channel, CHANNEL_NAMES, CHANNELS, channelText } from '../core/channels';
import { HostSettings } from '../core/host-settings';
import { live } from '../core/live';
import { Span, SPAN_NAMES, SPANS } from '../osds/series';
import { AnswerComponent } from '../shared/answer.component';
import { EventsComponent } from '../shared/events.component';
import { lastLatency, lastRates, latencyOption, workOption } from './cluster-charts';
import { fill } from '../shared/fill';

const POLL_MS = 60_000;
const HEIGHT = 220;

interface Answer {
  readonly span: Span;
  readonly found: ClusterLatency;
}

/** The cluster over time: latencies of its OSDs, work of clients, what happened. */
@Component({
  selector: 'pb-cluster',
  imports: [AnswerComponent, ChartComponent, EventsComponent],
  template: `
    <section class="pb-card" aria-labelledby="pb-cluster">
      <header class="pb-card__head">
        <h2 id="pb-cluster">The cluster over time</h2>
        <span class="pb-head__space"></span>
        @if (groups().length > 1) {
          <label class="pb-choice" for="pb-cluster-group">
            OSDs
            <select
              #groupField
              id="pb-cluster-group"
              class="pb-field__input"
              (change)="wanted.set(groupField.value)"
            >
              @for (entry of groups(); track entry) {
                <option [value]="entry" [selected]="entry === group()">
                  {{ entry || 'all' }}
                </option>
              }
            </select>
          </label>
        }
        <label class="pb-choice" for="pb-cluster-channel">
          Channel
          <select
            #channelField
            id="pb-cluster-channel"
            class="pb-field__input"
            (change)="choose(channelField.value)"
          >
            @for (entry of channels(); track entry) {
              <option [value]="entry" [selected]="entry === channel()">
                {{ CHANNEL_NAMES[entry] }}
              </option>
            }
          </select>
        </label>
        <div class="pb-switch" role="group" aria-label="How far back">
          @for (entry of spans; track entry) {
            <button type="button" [attr.aria-pressed]="entry === span()" (click)="span.set(entry)">
              {{ SPAN_NAMES[entry] }}
            </button>
          }
        </div>
      </header>
      <pb-answer [live]="live">
        @if (drawn(); as shown) {
          @if (shown.empty) {
            <p class="pb-empty">Nothing is stored for this time: the watch must be on.</p>
          } @else {
            <p class="pb-quiet">{{ shown.help }}</p>
            <pb-chart [option]="shown.latency" [label]="shown.latencyLabel" [height]="height" />
            <div class="pb-columns pb-columns--tables">
              <div>
                <h3>Operations per second</h3>
                <pb-chart [option]="shown.iops" [label]="shown.workLabel" [height]="height" />
              </div>
              <div>
                <h3>MiB/s</h3>
                <pb-chart [option]="shown.bytes" [label]="shown.workLabel" [height]="height" />
              </div>
            </div>
          }
          <details class="pb-details">
            <summary>What happened in this time ({{ shown.events.length }})</summary>
            <pb-events
              [events]="shown.events"
              [leftOut]="shown.leftOut"
              [configuration]="shown.configuration"
            />
          </details>
        }
      </pb-answer>
    </section>
  `,
})
export class ClusterComponent {
  readonly #api = inject(Api);
  readonly #host = inject(HostSettings);
  protected readonly SPAN_NAMES = SPAN_NAMES;
  protected readonly CHANNEL_NAMES = CHANNEL_NAMES;
  protected readonly spans = SPANS;
  protected readonly height = HEIGHT;
  protected readonly span = signal<Span>('1h');
  protected readonly channel = signal<Channel>('commit');
  protected readonly wanted = signal('');
  protected readonly live = live((signal) => this.#ask(this.span(), this.channel(), signal), {
    every: () => POLL_MS,
    keep: true,
    remember: () => `cluster ${this.span()} ${this.channel()}`,
  });
  protected readonly groups = computed(
    () => this.live.value()?.found.groups.map(({ group }) => group) ?? [],
  );
  protected readonly group = computed(() =>
    this.groups().includes(this.wanted()) ? this.wanted() : '',
  );
  protected readonly channels = computed(() => {
    const there = this.live.value()?.found.channels ?? [];
    return CHANNELS.filter((name) => there.includes(name) || name === this.channel());
  });
  protected readonly drawn = computed(() => {
    // The answer before is shown on while the next is on its way, as what it is of.
    const { found: answer, span: of } = this.live.value() ?? {};
    if (!answer || !of) return null;
    const [group, colours] = [this.group(), palette(this.#host.dark())];
    const span = SPAN_NAMES[of];
    const channel = channelText(answer.channel);
    return {
      empty: answer.work.length === 0,
      help: `${channel}: median, 95th and 99th percentile over the OSDs.`,
      latency: latencyOption(answer, group, colours),
      latencyLabel: fill(
        'Latency {channel} of the OSDs, {span}: median {median} ms, 99th percentile {p99} ms at the end',
        { channel, span, ...lastLatency(answer, group) },
      ),
      iops: workOption(answer, 'iops', colours),
      bytes: workOption(answer, 'bytes', colours),
      workLabel: fill(
        'Work of clients, {span}: {read} reads and {write} writes per second at the end',
        { span, ...lastRates(answer) },
      ),
      events: answer.events,
      leftOut: answer.events_left_out,
      configuration: answer,
    };
  });

  protected choose(name: string): void {
    const channel = CHANNELS.find((one) => one === name);
    if (channel) this.channel.set(channel);
  }

  async #ask(span: Span, channel: Channel, signal: AbortSignal): Promise<Answer> {
    return {
      span,
      found: await this.#api.get('cluster/latency', { since: span, channel }, signal),
    };
  }
}
