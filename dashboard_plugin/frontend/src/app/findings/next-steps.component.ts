import { Component, input } from '@angular/core';
import { NextSteps } from '../../generated/types';
import { CommandComponent } from '../shared/command.component';

const SECTIONS = [
  { key: 'check', title: 'What to check' },
  { key: 'relieve', title: 'How to relieve it now' },
  { key: 'replace', title: 'How to stop or replace it safely' },
] as const;

/** What next, as sentences with commands to copy. */
@Component({
  selector: 'pb-next-steps',
  imports: [CommandComponent],
  template: `
    <section class="pb-card" aria-labelledby="pb-next">
      <h2 id="pb-next">What next</h2>
      @for (section of sections; track section.key) {
        @if (steps()[section.key].length) {
          <h3>{{ section.title }}</h3>
          <ol>
            @for (step of steps()[section.key]; track $index) {
              <li>
                {{ step.text }}
                @if (step.command; as command) {
                  <pb-command [text]="command" />
                }
              </li>
            }
          </ol>
        }
      }
    </section>
  `,
})
export class NextStepsComponent {
  readonly steps = input.required<NextSteps>();
  protected readonly sections = SECTIONS;
}
