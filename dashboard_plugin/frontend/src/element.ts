import { ApplicationRef } from '@angular/core';
import { createApplication } from '@angular/platform-browser';
import { HostSettings } from './app/core/host-settings';
import { StandaloneAddress } from './app/core/standalone-address';
import { FrameComponent } from './app/frame/frame.component';
import { prefetch } from './app/frame/prefetch';
import { adoptStyles } from './styles/styles';

/**
 * `<perf-bench-app>`: the whole tab as one element; see README.md for its attributes and events.
 * The application lives as long as the element is in the document.
 */
export class PerfBenchElement extends HTMLElement {
  static readonly tag = 'perf-bench-app';
  static readonly observedAttributes = [
    'base-path',
    'locale',
    'look',
    'permissions',
    'route',
    'route-prefix',
    'standalone',
    'theme',
  ];

  readonly #settings = new HostSettings((type, detail) =>
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true })),
  );
  readonly #address = new StandaloneAddress(this.#settings);
  #application: Promise<ApplicationRef> | null = null;

  constructor() {
    super();
    adoptStyles(this.attachShadow({ mode: 'open' }));
  }

  get route(): string {
    return this.#settings.route();
  }
  set route(route: string) {
    this.#settings.route.set(route || '/');
  }

  /** What the host page may show as its title. */
  get pageTitle(): string {
    return this.#settings.title();
  }

  attributeChangedCallback(name: string, _before: string | null, value: string | null): void {
    this.#settings.take(name, value);
  }

  connectedCallback(): void {
    this.#address.listen();
    this.#application ??= this.#start();
  }

  disconnectedCallback(): void {
    // A host that only moves the element puts it back at once.
    queueMicrotask(() => {
      if (!this.isConnected) this.#stop();
    });
  }

  async #start(): Promise<ApplicationRef> {
    const mount = document.createElement('div');
    mount.className = 'pb-app';
    this.shadowRoot?.replaceChildren(mount);
    const application = await createApplication({
      providers: [{ provide: HostSettings, useValue: this.#settings }],
    });
    application.bootstrap(FrameComponent, mount);
    void prefetch(() => !this.isConnected);
    return application;
  }

  #stop(): void {
    this.#address.ignore();
    const application = this.#application;
    this.#application = null;
    void application?.then((running) => running.destroy());
    this.shadowRoot?.replaceChildren();
  }
}
