import { Component, input } from '@angular/core';

/** A figure or some words under a name; `help` says what the name means. */
export interface Fact {
  readonly name: string;
  readonly text: string;
  readonly help?: string;
}

/** Facts one below the other; those that are more than text stand before them, as content. */
@Component({
  selector: 'pb-facts',
  template: `
    <dl class="pb-facts">
      <ng-content />
      @for (fact of facts(); track fact.name) {
        <dt [attr.title]="fact.help || null">{{ fact.name }}</dt>
        <dd>{{ fact.text }}</dd>
      }
    </dl>
  `,
})
export class FactsComponent {
  readonly facts = input.required<readonly Fact[]>();
}
