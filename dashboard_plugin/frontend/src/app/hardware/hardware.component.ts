import { Component } from '@angular/core';
import { CoverageComponent } from '../shared/coverage.component';
import { CrcComponent } from './crc.component';
import { EnclosuresComponent } from './enclosures.component';
import { PathsComponent } from './paths.component';

/** What the hosts' hardware tells: enclosures, paths to disks, checksums, errors of links and media. */
@Component({
  selector: 'pb-hardware',
  imports: [CoverageComponent, CrcComponent, EnclosuresComponent, PathsComponent],
  template: `
    <pb-enclosures />
    <pb-paths />
    <pb-crc />
    <details class="pb-card pb-details">
      <summary>What was looked at, and what could not be</summary>
      <pb-coverage [looks]="looks" />
    </details>
  `,
})
export class HardwareComponent {
  protected readonly looks = [
    'enclosures',
    'multipath',
    'checksums',
    'link_errors',
    'media_errors',
  ];
}
