import { Component, input } from '@angular/core';
import { CommandComponent } from '../shared/command.component';

/** Nothing is known, because no host has told: what to type so that they do. */
@Component({
  selector: 'pb-tell',
  imports: [CommandComponent],
  template: `
    <p class="pb-empty">{{ what() }}</p>
    <p>On each host, or by the systemd timer that comes with the tool:</p>
    <pb-command text="ceph-perf-bench facts --push" />
    <p>Or from a file that was made on the host:</p>
    <pb-command text="ceph perf-bench host import HOST -i FACTS.json" />
  `,
})
export class TellComponent {
  readonly what = input.required<string>();
}
