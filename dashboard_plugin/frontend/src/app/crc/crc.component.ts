import { ChangeDetectionStrategy, Component, computed, inject } from '@angular/core';
import { CrcErrors, CrcHost, CrcOsd } from '../../generated/types';
import { Api } from '../core/api';
import { live } from '../core/live';
import { translator } from '../i18n/i18n';
import { AnswerComponent } from '../shared/answer.component';
import { TimeComponent } from '../shared/badges.component';
import { CellDirective } from '../shared/data-table/cell.directive';
import { DataTableComponent } from '../shared/data-table/data-table.component';
import { LinkDirective } from '../shared/link.directive';
import { errorColumns, hostColumns, osdColumns } from './crc-columns';
import { SparkComponent } from './spark.component';

/** As often as there is a new window of an OSD. */
const POLL_MS = 15_000;
/** The OSDs on which checksums take most; more would be a long way to scroll. */
const MOST = 100;

/** Checksums: what they take of OSDs, how fast they are, and errors of links and media. */
@Component({
  selector: 'pb-crc',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [
    AnswerComponent,
    CellDirective,
    DataTableComponent,
    LinkDirective,
    SparkComponent,
    TimeComponent,
  ],
  templateUrl: './crc.component.html',
})
export class CrcComponent {
  readonly #api = inject(Api);
  protected readonly t = translator();
  protected readonly live = live((signal) => this.#api.crc({ limit: MOST }, signal), {
    every: () => POLL_MS,
    keep: true,
    remember: () => 'crc',
  });
  protected readonly shown = computed(() => this.live.value());
  /** All bars have one scale, or a quiet OSD would look like a busy one. */
  protected readonly most = computed(() =>
    Math.max(0.05, ...(this.shown()?.osds ?? []).flatMap((one) => one.minutes.map((v) => v ?? 0))),
  );
  protected readonly errors = computed(() => {
    const { links = [], media = [] } = this.shown() ?? {};
    return [
      { key: 'links', title: this.t('crc.links'), none: this.t('crc.links.none'), rows: links },
      { key: 'media', title: this.t('crc.media'), none: this.t('crc.media.none'), rows: media },
    ];
  });
  protected readonly columns = computed(() => ({
    osds: osdColumns(this.t),
    errors: errorColumns(this.t),
    hosts: hostColumns(this.t),
  }));
  protected readonly osdId = (row: CrcOsd): number => row.osd;
  protected readonly hostId = (row: CrcHost): string => row.host;
  protected readonly errorId = (row: CrcErrors): string =>
    [row.host, row.osd, row.device, row.phy, row.kind].join(' ');
}
