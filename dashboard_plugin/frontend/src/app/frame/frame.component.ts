import { NgComponentOutlet } from '@angular/common';
import {
  Component,
  ElementRef,
  Type,
  afterRenderEffect,
  computed,
  effect,
  inject,
  signal,
  untracked,
  viewChild,
} from '@angular/core';
import { CANVAS_FONT, canvasFont } from '../charts/palette';
import { HostSettings } from '../core/host-settings';
import { formatLocale, knownLocale, share } from '../core/format';
import { variables } from '../core/look';
import { Navigator } from '../core/navigator';
import { Pulse } from '../core/pulse';
import { AbortComponent } from '../rounds/abort.component';
import { StartDialogComponent } from '../rounds/start-dialog.component';
import { StartRound } from '../rounds/start-round';
import { LinkDirective } from '../shared/link.directive';
import { RefusalComponent } from '../shared/refusal.component';
import { FoundPage, PAGES, entryOf, findPage, markOf, pagesUnder } from './pages';
import { Values, fill } from '../shared/fill';

/** What stands around every page: the navigation, and one sentence where no page can show. */
@Component({
  selector: 'pb-frame',
  imports: [
    NgComponentOutlet,
    AbortComponent,
    LinkDirective,
    RefusalComponent,
    StartDialogComponent,
  ],
  host: { class: 'pb-frame', '[class.pb-dark]': 'host.dark()', lang: 'en' },
  templateUrl: './frame.component.html',
})
export class FrameComponent {
  protected readonly host = inject(HostSettings);
  protected readonly navigator = inject(Navigator);
  protected readonly pulse = inject(Pulse);
  protected readonly start = inject(StartRound);
  protected readonly fill = fill;

  protected readonly tabs = PAGES.filter((page) => page.nav);
  protected readonly found = computed(() => findPage(this.navigator.route().segments));
  readonly #page = computed(() => this.found()?.page ?? null);
  protected readonly current = computed(() => {
    const page = this.#page();
    return page ? entryOf(page) : undefined;
  });
  protected readonly beside = computed(() => pagesUnder(this.current()));
  protected readonly marked = computed(() => {
    const page = this.#page();
    return page ? markOf(page) : undefined;
  });
  /** What this page is called, for who hears it: a change of page moves the focus to it. */
  protected readonly heading = computed(() => {
    const found = this.found();
    return found ? fill(found.page.title, found.params) : 'Perf Bench';
  });
  private readonly head = viewChild<ElementRef<HTMLElement>>('head');
  protected readonly shown = signal<{ type: Type<unknown>; inputs: Values } | null>(null);
  protected readonly broken = signal(false);
  protected readonly off = computed(() => this.pulse.outage());
  /** The permissions whose buttons are hidden; empty where all show. */
  protected readonly lacking = computed(() =>
    this.host
      .lacking()
      .map((right) => right.split(' '))
      .map(([scope = '', permission = '']) => `${permission} of the scope ${scope}`)
      .join(', '),
  );
  /** Nothing has ever answered: a page would be a row of empty cards. */
  protected readonly silent = computed(
    () => this.off() !== null && this.pulse.status.value() === null,
  );
  protected readonly running = computed(() => {
    const active = this.pulse.active();
    return active && { id: active.id, percent: share(active.progress, 0) };
  });

  constructor() {
    const element = inject<ElementRef<HTMLElement>>(ElementRef).nativeElement;
    effect(() => {
      element.removeAttribute('style');
      const look = variables(this.host.look(), this.host.dark());
      for (const [name, value] of Object.entries(look)) element.style.setProperty(name, value);
      canvasFont.set(look['--font'] ?? CANVAS_FONT);
    });
    effect(() => formatLocale.set(knownLocale(this.host.locale())));
    effect(() => {
      const found = this.found();
      untracked(() => void this.#show(found));
    });
    effect(() => {
      const found = this.found();
      const name = 'Perf Bench';
      const title = found ? `${this.heading()} · ${name}` : name;
      untracked(() => this.navigator.entitle(title));
    });
    this.#focusHeading();
  }

  /** When another page is shown, and not when a filter of the same one changes its address. */
  #focusHeading(): void {
    let before: string | null = null;
    afterRenderEffect(() => {
      const { segments } = this.navigator.route();
      const path = segments.join('/');
      const head = this.head()?.nativeElement;
      // The first page has not been gone to: the focus stays where the host page has it.
      if (before !== null && before !== path) head?.focus({ preventScroll: true });
      before = path;
    });
  }

  async #show(found: FoundPage | null): Promise<void> {
    this.broken.set(false);
    try {
      const type = await found?.page.load();
      // The user may have gone on while the page came.
      if (untracked(this.found) !== found) return;
      this.shown.set(type && found ? { type, inputs: found.params } : null);
    } catch {
      if (untracked(this.found) !== found) return;
      this.shown.set(null);
      this.broken.set(true);
    }
  }
}
