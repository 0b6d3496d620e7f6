import { setupZonelessTestEnv } from 'jest-preset-angular/setup-env/zoneless/index.mjs';

setupZonelessTestEnv();

// What jsdom lacks of a browser, as far as the components use it.
Object.assign(globalThis, {
  matchMedia: (media: string) => ({ media, matches: false, addEventListener: () => undefined }),
  ResizeObserver: class {
    observe(): void {
      return;
    }
    disconnect(): void {
      return;
    }
  },
});
HTMLDialogElement.prototype.showModal = function (): void {
  this.open = true;
};
HTMLDialogElement.prototype.close = function (): void {
  this.open = false;
  this.dispatchEvent(new Event('close'));
};
/** A canvas that takes every stroke and shows none: a chart without one falls over. */
const strokes = new Proxy<Record<string, unknown>>(
  {},
  { get: (values, name: string) => values[name] ?? (() => ({ width: 0 })) },
);
HTMLCanvasElement.prototype.getContext = function () {
  return strokes as never;
};
