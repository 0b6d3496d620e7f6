import { whole } from '../core/format';
import { Column, figure, plain } from '../shared/data-table/column';
import { Component, computed, inject, signal } from '@angular/core';
import { Applied, Capacity } from '../../generated/types';
import { Api } from '../core/api';
import { MOST } from '../core/everything';
import { number, osdNames } from '../core/format';
import { HostSettings } from '../core/host-settings';
import { live } from '../core/live';
import { remoteList } from '../shared/data-table/remote-list';
import { fill } from '../shared/fill';
import { PIECES } from '../shared/pieces';

const POLL_MS = 30_000;
const SOURCES = { osd: 'this OSD', cluster: 'several', default: 'default' } as const;
/** What mClock takes OSDs to be capable of, beside what rounds measured; set and put back. */
@Component({
  selector: 'pb-mclock',
  imports: [PIECES],
  templateUrl: './mclock.component.html',
})
export class MclockComponent {
  readonly #api = inject(Api);
  protected readonly host = inject(HostSettings);
  protected readonly asked = signal<'apply' | 'restore' | null>(null);
  protected readonly done = signal('');
  /** What was not set or not put back, and why. */
  protected readonly rest = signal<readonly string[]>([]);
  protected readonly list = remoteList('mclock', 'mclock', POLL_MS);
  /** Those with a proposal, first when sorted by it, and whether all OSDs are ok, or without mClock. */
  protected readonly first = live(
    async (signal) => {
      const [{ rows }, ...ends] = await Promise.all([
        this.#api.page('mclock', { sort: '-proposed', limit: MOST }, signal),
        this.#api.page('mclock', { sort: '+verdict', limit: 1 }, signal),
        this.#api.page('mclock', { sort: '-verdict', limit: 1 }, signal),
      ]);
      const all = (verdict: Capacity['verdict']): boolean =>
        ends.every((end) => end.rows[0]?.verdict === verdict);
      return { rows, allOk: all('ok'), unused: all('unused') };
    },
    { every: () => POLL_MS, keep: true, remember: () => 'mclock proposals' },
  );
  protected readonly proposals = computed(() => {
    const rows = this.first.value()?.rows ?? [];
    const count = rows.filter(({ proposed }) => proposed !== null).length;
    return count < MOST ? count : `${count} or more`;
  });
  protected readonly number = number;
  /** Of all OSDs: the page that shows may have only those of one class. */
  protected readonly unused = computed(() => this.first.value()?.unused ?? false);
  /** The keys of those that sort are those that the back end sorts by. */
  protected readonly columns: readonly Column<Capacity>[] = [
    plain('osd', 'OSD'),
    plain('class', 'Class', { minor: true }),
    figure('configured_iops', 'Configured IOPS', whole),
    plain('source', 'Set for', {
      help: 'Whether the value is set for this OSD alone or for several, or is the default.',
      text: (row) => SOURCES[row.source],
    }),
    figure('measured_iops', 'Measured IOPS', whole),
    {
      key: 'plausible',
      title: 'Plausible IOPS',
      help: 'The range that Ceph itself accepts for such a device.',
      value: (row) => row.plausible.map(whole).join('–'),
      figure: true,
      minor: true,
    },
    plain('verdict', 'Verdict'),
    figure('proposed', 'Proposed IOPS', whole),
  ];
  protected readonly id = (row: Capacity): number => row.osd;

  protected readonly change = async (): Promise<void> => {
    const asked = this.asked() ?? 'apply';
    const {
      changed,
      left,
      needs_consent: consent,
      theirs,
      waiting,
    }: Applied = await (asked === 'apply'
      ? this.#api.post('mclock/apply')
      : this.#api.post('mclock/restore'));
    const said = `${asked === 'apply' ? 'Set' : 'Restored'}; OSDs changed: ${changed.length}.`;
    this.done.set(left ? `${said} ${left} OSDs are left: repeat the step.` : said);
    this.rest.set([
      ...(consent.length
        ? [
            fill(
              "{names} {osds#is|are} left as before: the measured value is out of Ceph’s range. To set it too: 'ceph perf-bench mclock propose --apply --beyond'.",
              { names: osdNames(consent), osds: consent },
            ),
          ]
        : []),
      ...theirs.map(
        ({ what, now }) => `${what} stays ${now ?? 'not set'}: somebody else has set it since.`,
      ),
      ...waiting.map((one) => `${one.what}: ${one.why}`),
    ]);
    this.list.live.refresh();
    this.first.refresh();
  };
}
