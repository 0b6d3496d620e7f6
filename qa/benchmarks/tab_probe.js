// In the page: when did what a click asked for stand on the screen, and how even were the frames.
(() => {
  const drawn = { shapes: 0, canvases: new Set() };
  for (const name of ['fillRect', 'strokeRect', 'fill', 'stroke']) {
    const original = CanvasRenderingContext2D.prototype[name];
    CanvasRenderingContext2D.prototype[name] = function (...values) {
      drawn.shapes += 1;
      drawn.canvases.add(this.canvas);
      return original.apply(this, values);
    };
  }
  let from = 0; // the page's own beginning, until something is clicked
  const begin = (at) => {
    from = at;
    drawn.shapes = 0;
    drawn.canvases.clear();
  };
  // The time at which the browser got the click, so that a busy page is not excused.
  addEventListener('click', (event) => begin(event.timeStamp), true);

  const root = () => document.querySelector('perf-bench-app')?.shadowRoot ?? document;
  const count = (selector) => root().querySelectorAll(selector).length;
  const text = (selector) => root().querySelector(selector)?.textContent ?? '';
  const charts = (least) => {
    const all = [...root().querySelectorAll('pb-chart')];
    const isDrawn = (chart) =>
      [...chart.querySelectorAll('canvas')].some((canvas) => drawn.canvases.has(canvas));
    return all.length >= least && all.every(isDrawn);
  };
  // What must be there before a page is of use: its tables' rows, its charts' strokes.
  const pages = {
    overview: () => count('pb-slowest tbody a') >= 8 && count('pb-last-rounds tbody tr') >= 8,
    // Drawn in one go: so many shapes are no axis and no legend.
    map: () => count('pb-heat-map') === 1 && drawn.shapes > 1000,
    rounds: () => count('pb-rounds pb-table tbody a') >= 25,
    round: (id) =>
      text('#pb-round').includes(id) && count('pb-round pb-table tbody tr') >= 25 && charts(1),
    osd: (id) =>
      text('#pb-osd').includes(id) && count('pb-osd pb-table tbody tr') >= 5 && charts(1),
    comparison: (rounds) =>
      text('#pb-compared').includes(rounds) &&
      count('pb-comparison pb-table tbody tr') >= 25 &&
      charts(1),
    history: () => count('pb-profile-history pb-table tbody tr') >= 5 && charts(1),
    mclock: () => count('pb-mclock pb-table tbody tr') >= 25,
    hardware: () =>
      count('pb-enclosures pb-table tbody tr') >= 10 &&
      count('pb-paths pb-table tbody tr') >= 10 &&
      count('pb-crc pb-table tbody tr') >= 20,
    enclosure: (id) => text('#pb-enclosure').includes(id) && count('.pb-slot') >= 12,
    wrong: () => count('pb-wrong pb-table tbody tr') >= 10 && count('pb-advice') >= 2,
    // The chart against the peers, what next, and the evidence.
    finding: (id) =>
      text('#pb-finding').includes(id) && count('pb-next-steps li') >= 3 && charts(1),
    laggy: () => count('pb-laggy h2') >= 1,
    hosts: () => count('pb-hosts pb-table tbody tr') >= 25,
    host: (name) => text('#pb-host').includes(name) && count('pb-host pb-table tbody tr') >= 20,
    settings: () => count('pb-settings pb-table tbody tr') >= 1,
    schedules: () => count('pb-schedules h2') >= 1 && count('pb-workers tbody tr') >= 2,
  };

  const PATIENCE_MS = 60_000;

  /** Milliseconds from the last click to the end of the first frame that shows the page. */
  const painted = (page, detail = '') =>
    new Promise((resolve, reject) => {
      const look = (now) => {
        if (now - from > PATIENCE_MS) return reject(new Error(`no ${page} after a minute`));
        if (!pages[page](detail)) return void requestAnimationFrame(look);
        const { port1, port2 } = new MessageChannel();
        // A message of this frame is delivered after it has been painted.
        port1.onmessage = () => resolve(performance.now() - from);
        port2.postMessage(null);
      };
      requestAnimationFrame(look);
    });

  window.probe = { begin, painted };
})();
