import { Component, computed, inject, signal } from '@angular/core';
import { Osd, OsdLatency, OsdMap } from '../../generated/types';
import { Api, livePage } from '../core/api';
import { everything } from '../core/everything';
import { HostSettings } from '../core/host-settings';
import { live } from '../core/live';
import { Navigator } from '../core/navigator';
import { Pulse } from '../core/pulse';
import { withQuery } from '../core/route';
import { PeersComponent } from '../shared/peers.component';
import { WatchStateComponent } from '../shared/watch-state.component';
import { GROUPS, grouped, worstGroups } from './grouping';
import { HeatMapComponent } from './heat-map.component';
import { LAYERS, paint, valueText } from './layers';
import { LegendComponent } from './legend.component';
import { mapData, withLatencies, withLatency } from './map-data';
import { rowsNamed } from './marking';
import { wordsOf } from './map-words';
import { MapRow, MAP_COLUMNS, mapRows, worstFirst } from './map-table';
import { fill } from '../shared/fill';
import { PIECES } from '../shared/pieces';

const POLL_MS = 60_000;
/** Latencies are those of the newest minute. */
const SEEN_POLL_MS = 30_000;
/** OSDs that are named of those that are marked. */
const NAMED = 6;
/** What is shown while nobody has chosen: latencies where nothing was ever benched. */
const USUAL = { bench: 'peers', watch: 'ratio' } as const;

interface Answer {
  /** The profile; null: the newest of any. */
  readonly of: string | null;
  readonly map: OsdMap;
}

/** All OSDs at once, as a map or as a table. What is chosen stands in the route. */
@Component({
  selector: 'pb-osd-map',
  imports: [PIECES, HeatMapComponent, LegendComponent, PeersComponent, WatchStateComponent],
  templateUrl: './osd-map.component.html',
})
export class OsdMapComponent {
  readonly #api = inject(Api);
  readonly #pulse = inject(Pulse);
  readonly #host = inject(HostSettings);
  readonly #navigator = inject(Navigator);
  protected readonly fill = fill;
  protected readonly layers = LAYERS;
  protected readonly figures = ['bench', 'watch'] as const;
  protected readonly usual = USUAL;
  protected readonly groupKeys = GROUPS;
  protected readonly query = computed(() => this.#navigator.route().query);
  protected readonly profile = computed(() => this.query()['profile'] ?? null);
  protected readonly profiles = livePage('profile', null);
  protected readonly live = live((signal) => this.#ask(this.profile(), signal), {
    every: () => POLL_MS,
    keep: true,
    remember: () => `map ${this.profile() ?? ''}`,
  });
  /** Of this profile: while another's map comes, the one before is none. */
  protected readonly benched = computed(() => {
    const answer = this.live.value();
    if (answer?.of !== this.profile()) return null;
    return mapData(answer.map, this.#pulse.limits());
  });
  protected readonly measured = computed(
    () => this.benched()?.round.filter((round) => round !== null).length ?? 0,
  );
  /** What OSDs do now, not what they once did; benches where one is asked for or nothing is judged. */
  readonly #usual = computed(() => {
    const watch = this.#pulse.status.value()?.watch;
    const nothing = watch && (!watch.on || watch.judged === 0);
    return this.profile() || nothing ? USUAL.bench : USUAL.watch;
  });
  protected readonly layer = computed(() => {
    const keys = [this.query()['layer'], this.#usual()];
    return keys.map((key) => LAYERS.find((one) => one.key === key)).find(Boolean);
  });
  protected readonly watching = computed(() => this.layer()?.of === 'watch');
  /** Asked for only when a layer needs it: with the map in one it would be too large an answer. */
  protected readonly seen = live((signal) => this.#askSeen(signal), {
    every: () => (this.watching() ? SEEN_POLL_MS : null),
    keep: true,
    remember: () => 'latency',
  });
  protected readonly data = computed(() => {
    const [data, seen] = [this.benched(), this.seen.value()];
    if (!this.watching()) return data;
    return data && seen && withLatency(data, seen);
  });
  /** When the watch looked last; benches have their own times. */
  protected readonly at = computed(() =>
    this.watching() ? (this.#pulse.status.value()?.watch.last_tick_at ?? null) : null,
  );
  protected readonly told = computed(() => {
    const data = this.data();
    return data ? withLatencies(data) : 0;
  });
  protected readonly group = computed(
    () => GROUPS.find((key) => key === this.query()['group']) ?? 'host',
  );
  protected readonly asTable = computed(() => this.query()['view'] === 'table');
  /** Words in the address that nothing here is called. */
  protected readonly unknown = computed(() => {
    const { layer, group, view } = this.query();
    const known = [...LAYERS.map((one) => one.key), ...GROUPS, 'table', 'map'];
    return [layer, group, view].filter((word) => word !== undefined && !known.includes(word));
  });
  /** What is marked: an OSD, a host or a rack by name, else what the search of the module finds. */
  protected readonly mark = computed(() => this.query()['mark'] ?? '');
  readonly #named = computed(() => {
    const [data, mark] = [this.benched(), this.mark()];
    return data && mark ? rowsNamed(data, mark) : [];
  });
  protected readonly searched = live((signal) => this.#search(signal), { keep: true });
  protected readonly marked = computed(() => {
    const [data, found] = [this.benched(), this.searched.value()];
    if (this.#named().length || !data || !this.mark()) return this.#named();
    // Of another word: what is asked for now is not known yet, or will not be.
    if (found?.of !== this.mark()) return [];
    const osds = new Set(found.rows.map((row) => row.osd));
    return data.osd.flatMap((osd, row) => (osds.has(osd) ? row : []));
  });
  protected readonly markedWords = computed(() => {
    const [data, rows] = [this.benched(), this.marked()];
    const known = !this.searched.asking() && !this.searched.refusal();
    if (!data || (!rows.length && !known)) return '';
    if (!rows.length) return `Nothing on the map is called “${this.mark()}”.`;
    const more = rows.length > NAMED ? ` + ${rows.length - NAMED}` : '';
    const names = rows.slice(0, NAMED).map((row) => `osd.${data.osd[row]}`);
    return fill('{count|OSD|OSDs} marked: {names}', {
      count: rows.length,
      names: names.join(', ') + more,
    });
  });
  protected readonly only = signal<number | null>(null);
  protected readonly groups = computed(() => {
    const data = this.data();
    if (!data) return [];
    const groups = grouped(data, this.group());
    return this.watching() ? worstGroups(groups, data) : groups;
  });
  protected readonly painted = computed(() => {
    const [data, layer] = [this.data(), this.layer()];
    return data && layer ? paint(layer, data, this.#host.dark(), this.#pulse.limits()) : null;
  });
  protected readonly rows = computed(() => {
    const data = this.data();
    if (!data || !this.asTable()) return [];
    return this.watching() ? worstFirst(mapRows(data)) : mapRows(data);
  });
  protected readonly columns = computed(() => MAP_COLUMNS[this.watching() ? 'watch' : 'bench']);
  protected readonly rowId = (row: MapRow): number => row.osd;

  protected readonly words = (row: number): string => {
    const data = this.data();
    return data ? wordsOf(data, row, this.watching()) : '';
  };

  protected readonly values = computed(() => {
    const [data, layer] = [this.data(), this.layer()];
    return (row: number) => (data && layer ? valueText(layer, data, row) : '');
  });

  protected readonly names = (name: string): string => {
    if (name) return name;
    return this.group() === 'class' ? 'no class' : 'no rack';
  };

  protected choose(change: Readonly<Record<string, string | null>>): void {
    this.only.set(null);
    this.#navigator.go(withQuery('/map', { ...this.query(), ...change }));
  }

  protected find(word: string, event: Event): void {
    event.preventDefault();
    this.choose({ mark: word.trim() || null });
  }

  /** Serial numbers, devices and models: what the map's own answer does not have. */
  async #search(signal: AbortSignal): Promise<{ of: string; rows: readonly Osd[] }> {
    const [mark, known] = [this.mark(), this.#named().length > 0];
    if (!this.benched() || !mark || known) return { of: mark, rows: [] };
    const rows = await everything((part) =>
      this.#api.page('osd', { search: mark, ...part }, signal),
    );
    return { of: mark, rows };
  }

  protected open(row: number): void {
    const osd = this.data()?.osd[row];
    if (osd !== undefined) this.#navigator.go(`/osds/${osd}`);
  }

  async #ask(of: string | null, signal: AbortSignal): Promise<Answer> {
    this.#pulse.rounds();
    return { of, map: await this.#api.get('osd/map', { profile: of }, signal) };
  }

  /** No answer, ever, while no layer needs one: what was there stays. */
  #askSeen(signal: AbortSignal): Promise<OsdLatency> {
    return this.watching()
      ? this.#api.get('osd/latency', {}, signal)
      : new Promise(() => undefined);
  }
}
