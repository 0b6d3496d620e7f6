import { Component, input } from '@angular/core';
import { CommandComponent } from './command.component';
import { Shown } from './evidence';
import { LinkDirective } from './link.directive';

/** A value of evidence, with all that is in it. */
@Component({
  selector: 'pb-evidence',
  imports: [CommandComponent, LinkDirective],
  template: `
    @let shown = value();
    @switch (shown.as) {
      @case ('osds') {
        @for (osd of shown.osds; track osd) {
          <a [pbLink]="'/osds/' + osd">osd.{{ osd }}</a
          >{{ $last ? '' : ', ' }}
        }
        {{ shown.more }}
      }
      @case ('command') {
        <pb-command [text]="shown.text" />
      }
      @case ('list') {
        <ul class="pb-list">
          @for (one of shown.list; track $index) {
            <li><pb-evidence [value]="one" /></li>
          }
        </ul>
      }
      @case ('table') {
        <div class="pb-table__scroll">
          <table class="pb-table">
            <thead>
              <tr>
                @for (head of shown.heads; track head) {
                  <th scope="col" class="pb-table__idle">{{ head }}</th>
                }
              </tr>
            </thead>
            <tbody>
              @for (row of shown.rows; track $index) {
                <tr>
                  @for (cell of row; track $index) {
                    <td [attr.data-title]="shown.heads[$index]"><pb-evidence [value]="cell" /></td>
                  }
                </tr>
              }
            </tbody>
          </table>
        </div>
      }
      @case ('facts') {
        <dl class="pb-facts">
          @for (fact of shown.facts; track fact.name) {
            <dt>{{ fact.name }}</dt>
            <dd><pb-evidence [value]="fact.value" /></dd>
          }
        </dl>
      }
      @default {
        {{ shown.text }}
      }
    }
  `,
})
export class EvidenceComponent {
  readonly value = input.required<Shown>();
}
