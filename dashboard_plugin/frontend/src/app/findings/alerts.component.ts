import { Component, computed } from '@angular/core';
import { livePage } from '../core/api';
import { AnswerComponent } from '../shared/answer.component';
import { FactsComponent } from '../shared/facts.component';

const POLL_MS = 15_000;

/** Ceph's own alerts about slow OSDs: what they mean, what to do. Nothing without any. */
@Component({
  selector: 'pb-alerts',
  imports: [AnswerComponent, FactsComponent],
  template: `
    @if (live.refusal()) {
      <pb-answer [live]="live" />
    }
    @if (alerts().length) {
      <section class="pb-card" aria-labelledby="pb-alerts">
        <header class="pb-card__head">
          <h2 id="pb-alerts">Ceph's own alerts about slow OSDs</h2>
        </header>
        @for (alert of alerts(); track alert.code) {
          <h3>{{ alert.code }}: {{ alert.summary }}</h3>
          <pb-facts [facts]="alert.facts" />
        }
      </section>
    }
  `,
})
export class AlertsComponent {
  protected readonly live = livePage('alert', POLL_MS);
  protected readonly alerts = computed(() =>
    (this.live.value()?.rows ?? []).map((one) => ({
      code: one.code,
      summary: one.summary,
      facts: [
        { name: 'These OSDs now', text: one.peers_text },
        { name: 'Meaning', text: one.meaning },
        { name: 'What to do', text: one.action },
      ],
    })),
  );
}
