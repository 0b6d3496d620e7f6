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
    <section class="pb-card"><pb-coverage [looks]="looks" /></section>
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
