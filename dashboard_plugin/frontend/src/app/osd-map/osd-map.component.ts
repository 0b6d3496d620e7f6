import { ChangeDetectionStrategy, Component, computed, inject, signal } from '@angular/core';
import { Api } from '../core/api';
import { mib, number, percent } from '../core/format';
import { HostSettings } from '../core/host-settings';
import { live } from '../core/live';
import { Navigator } from '../core/navigator';
import { Pulse } from '../core/pulse';
import { withQuery } from '../core/route';
import { translator } from '../i18n/i18n';
import { AnswerComponent } from '../shared/answer.component';
import { PeersComponent } from '../shared/badges.component';
import { CellDirective } from '../shared/data-table/cell.directive';
import { DataTableComponent } from '../shared/data-table/data-table.component';
import { LinkDirective } from '../shared/link.directive';
import { GROUPS, grouped, naturalGroup } from './grouping';
import { HeatMapComponent } from './heat-map.component';
import { LAYERS, paint } from './layers';
import { LegendComponent } from './legend.component';
import { known, mapData } from './map-data';
import { MapRow, mapColumns, mapRows } from './map-table';

const POLL_MS = 60_000;

/** All OSDs at once, as a map or as a table. What is chosen stands in the route. */
@Component({
  selector: 'pb-osd-map',
  changeDetection: ChangeDetectionStrategy.OnPush,
  imports: [
    AnswerComponent,
    CellDirective,
    DataTableComponent,
    HeatMapComponent,
    LegendComponent,
    LinkDirective,
    PeersComponent,
  ],
  templateUrl: './osd-map.component.html',
})
export class OsdMapComponent {
  readonly #api = inject(Api);
  readonly #pulse = inject(Pulse);
  readonly #host = inject(HostSettings);
  readonly #navigator = inject(Navigator);
  protected readonly t = translator();
  protected readonly layers = LAYERS;
  protected readonly groupKeys = GROUPS;
  protected readonly query = computed(() => this.#navigator.route().query);
  protected readonly profile = computed(() => this.query()['profile'] ?? null);
  protected readonly profiles = live((signal) => this.#api.profiles(signal), {
    remember: () => 'profiles',
  });
  protected readonly live = live((signal) => this.#ask(signal), {
    every: () => POLL_MS,
    keep: true,
    remember: () => `map ${this.profile() ?? ''}`,
  });
  protected readonly data = computed(() => {
    const answer = this.live.value();
    return answer && mapData(answer);
  });
  protected readonly layer = computed(
    () => LAYERS.find((layer) => layer.key === this.query()['layer']) ?? LAYERS[0],
  );
  protected readonly group = computed(() => {
    const data = this.data();
    const asked = GROUPS.find((key) => key === this.query()['group']);
    return asked ?? (data ? naturalGroup(data) : 'host');
  });
  protected readonly asTable = computed(() => this.query()['view'] === 'table');
  /** Words in the address that nothing here is called. */
  protected readonly unknown = computed(() => {
    const { layer, group, view } = this.query();
    const known = [...LAYERS.map((one) => one.key), ...GROUPS, 'table', 'map'];
    return [layer, group, view].filter((word) => word !== undefined && !known.includes(word));
  });
  protected readonly only = signal<number | null>(null);
  protected readonly groups = computed(() => {
    const data = this.data();
    return data ? grouped(data, this.group()) : [];
  });
  protected readonly painted = computed(() => {
    const [data, layer] = [this.data(), this.layer()];
    return data && layer ? paint(layer, data, this.#host.dark()) : null;
  });
  protected readonly measured = computed(
    () => this.data()?.round.filter((round) => round !== null).length ?? 0,
  );
  protected readonly rows = computed(() => {
    const data = this.data();
    return data && this.asTable() ? mapRows(data) : [];
  });
  protected readonly columns = computed(() => mapColumns(this.t));
  protected readonly rowId = (row: MapRow): number => row.osd;

  protected readonly words = (row: number): string => {
    const data = this.data();
    if (!data) return '';
    const figure = data.figures;
    const place = [data.host[row], data.rack[row], data.class[row]].filter(Boolean).join(' · ');
    const lines = [
      `osd.${data.osd[row] ?? ''}${data.up[row] ? '' : ` (${this.t('osd.down')})`}`,
      place,
      data.round[row] === null
        ? this.t('common.no-data')
        : `${mib(known(figure.bytes_per_second[row]))} MiB/s · ${number(known(figure.iops[row]))} IOPS`,
      data.round[row] === null
        ? ''
        : `${percent(known(figure.percent_of_peers[row]))} ${this.t('map.of-peers')} · CV ${percent(
            known(figure.cv_percent[row]),
            1,
          )}`,
    ];
    return lines.filter(Boolean).join('\n');
  };

  protected readonly names = (name: string): string => {
    if (name) return name;
    return this.t(this.group() === 'class' ? 'map.no-class' : 'map.no-rack');
  };

  protected choose(change: Readonly<Record<string, string | null>>): void {
    this.only.set(null);
    this.#navigator.go(withQuery('/map', { ...this.query(), ...change }));
  }

  protected open(row: number): void {
    const osd = this.data()?.osd[row];
    if (osd !== undefined) this.#navigator.go(`/osds/${osd}`);
  }

  #ask(signal: AbortSignal): ReturnType<Api['map']> {
    this.#pulse.rounds();
    return this.#api.map(this.profile(), signal);
  }
}
