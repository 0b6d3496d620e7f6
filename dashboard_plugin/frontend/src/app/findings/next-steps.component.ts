import { Component, input } from '@angular/core';
import { NextSteps } from '../../generated/types';
import { CommandComponent } from '../shared/command.component';
import { TEXTS } from '../shared/words';

const SECTIONS = ['check', 'relieve', 'replace'] as const;

/** What next, as sentences with commands to copy. */
@Component({
  selector: 'pb-next-steps',
  imports: [CommandComponent],
  template: `
    <section class="pb-card" aria-labelledby="pb-next">
      <h2 id="pb-next">What next</h2>
      @for (section of sections; track section) {
        <h3>{{ TEXTS[title(section)] }}</h3>
        <ol>
          @for (step of steps()[section]; track $index) {
            <li>
              {{ step.text }}
              @if (step.command; as command) {
                <pb-command [text]="command" />
              }
            </li>
          }
        </ol>
      }
    </section>
  `,
})
export class NextStepsComponent {
  readonly steps = input.required<NextSteps>();
  protected readonly TEXTS = TEXTS;
  protected readonly sections = SECTIONS;

  protected title(section: (typeof SECTIONS)[number]): `next.${typeof section}` {
    return `next.${section}`;
  }
}
