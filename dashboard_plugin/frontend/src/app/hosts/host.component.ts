import { Component, computed, input } from '@angular/core';
import { Osd } from '../../generated/types';
import { liveGet, livePage } from '../core/api';
import { MOST } from '../core/everything';
import { milliseconds, number, percent, rate, size } from '../core/format';
import { FindingsTableComponent } from '../findings/findings-table.component';
import { mapRoute } from '../map/marking';
import { Column, figure, plain } from '../shared/data-table/column';
import { Fact } from '../shared/facts.component';
import { StockLinksComponent } from '../shared/stock-links.component';
import { fill } from '../shared/fill';
import { PIECES } from '../shared/pieces';

const POLL_MS = 60_000;
/** What a host reports, in this order, and how its figures are written. */
const TOLD: readonly (readonly [key: string, name: string, written?: (value: number) => string])[] =
  [
    ['cpu_model', 'Processor'],
    ['cpu_cores', 'Cores'],
    ['cpu_threads', 'Threads'],
    ['cpu_governor', 'Frequency governor'],
    ['cpu_deepest_cstate', 'Deepest C-state'],
    ['cpu_iommu', 'IOMMU'],
    ['numa_nodes', 'NUMA nodes'],
    ['numa_miss_percent', 'NUMA misses', (value: number) => percent(value, 1)],
    ['memory_total_bytes', 'Memory', size],
    ['memory_swap_used_bytes', 'Swap in use', size],
    ['memory_thp', 'Transparent huge pages'],
    ['kernel_release', 'Kernel'],
    [
      'kernel_nvme_io_timeout_seconds',
      'NVMe I/O timeout',
      (value: number) => `${number(value, 0)} s`,
    ],
    ['crc32c_bytes_per_second', 'CRC32C of one core', rate],
  ];

/** One host: its findings, its OSDs, and what it reports. */
@Component({
  selector: 'pb-host',
  imports: [PIECES, FindingsTableComponent, StockLinksComponent],
  templateUrl: './host.component.html',
})
export class HostComponent {
  readonly name = input.required<string>();
  protected readonly fill = fill;
  protected readonly live = liveGet('host/NAME', POLL_MS, () => ({ NAME: this.name() }));
  protected readonly osds = livePage('osd', POLL_MS, () => ({ host: this.name(), limit: MOST }));
  protected readonly mapRoute = computed(
    () => mapRoute({ kind: 'host', id: this.name() }) ?? '/map',
  );
  protected readonly facts = computed((): readonly Fact[] => {
    const told = this.live.value()?.told ?? {};
    return TOLD.flatMap(([key, name, written]) => {
      const value = told[key];
      if (value === null || value === undefined) return [];
      return [
        { name, text: typeof value === 'number' && written ? written(value) : String(value) },
      ];
    });
  });
  protected readonly osdOf = (row: Osd): number => row.osd;
  protected readonly columns = computed((): readonly Column<Osd>[] => [
    plain('osd', 'OSD'),
    plain('state', 'State'),
    plain('class', 'Class'),
    plain('device', 'Device'),
    plain('model', 'Model'),
    figure('commit_ms', 'Commit latency (ms)', milliseconds),
    figure('ratio', 'Latency against peers (times)', (value) => number(value, 2)),
  ]);
}
