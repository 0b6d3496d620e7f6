import { Component, computed, signal } from '@angular/core';
import { Advice } from '../../generated/types';
import { livePage } from '../core/api';
import { AnswerComponent } from '../shared/answer.component';
import { AdviceComponent } from './advice.component';
import { stateText } from '../shared/state-badge.component';

/** A look of the doctor is kept for 20 s; oftener would show the same. */
const POLL_MS = 30_000;
/** Checks of single OSDs may find thousands; so many are drawn at a time. */
const DRAWN = 50;
const SEVERITIES = ['error', 'warning', 'info'] as const;

/** What the doctor advises, worst first: evidence, source, and the command that mends it. */
@Component({
  selector: 'pb-doctor',
  imports: [AdviceComponent, AnswerComponent],
  template: `
    @if (live.refusal()) {
      <pb-answer [live]="live" />
    }
    @if (live.value(); as page) {
      @if (page.rows.length) {
        <section class="pb-card" aria-labelledby="pb-doctor">
          <header class="pb-card__head">
            <h2 id="pb-doctor">Advice</h2>
            <span class="pb-quiet">{{ counts() }}</span>
          </header>
          <p class="pb-quiet">
            Settings and hosts that may cause problems, and the command that fixes each. Nothing is
            changed automatically.
          </p>
          <ul class="pb-finding-list">
            @for (advice of page.rows.slice(0, drawn()); track key(advice)) {
              <li><pb-advice [advice]="advice" /></li>
            }
          </ul>
          @if (page.rows.length > drawn()) {
            <button type="button" class="pb-button" (click)="drawn.set(drawn() + step)">
              Show more ({{ page.rows.length - drawn() }})
            </button>
          } @else if (page.total > page.rows.length) {
            <p class="pb-quiet">
              {{ page.total - page.rows.length }} more of lower severity; this command lists all:
              <code>ceph perf-bench doctor</code>
            </p>
          }
        </section>
      }
    }
  `,
})
export class DoctorComponent {
  protected readonly step = DRAWN;
  protected readonly drawn = signal(DRAWN);
  protected readonly live = livePage('doctor', POLL_MS);
  /** "1 × error, 3 × info": what there is of each. */
  protected readonly counts = computed(() => {
    const rows = this.live.value()?.rows ?? [];
    return SEVERITIES.map((severity) => ({
      severity,
      count: rows.filter((one) => one.severity === severity).length,
    }))
      .filter(({ count }) => count > 0)
      .map(({ severity, count }) => `${count} × ${stateText(severity)}`)
      .join(', ');
  });

  protected key({ code, target }: Advice): string {
    return `${code} ${target.kind} ${target.id}`;
  }
}
