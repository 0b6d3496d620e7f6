/** Every page at four widths, light and dark: what axe finds, and what scrolls sideways. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';
import { FLAGS, served } from './served.mjs';

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const ROUTES = [
  ...['/', '/wrong?closed=1', '/findings/4', '/laggy', '/hardware', '/mclock', '/settings'],
  ...['/map', '/map?view=table', '/osds/4', '/hosts', '/hosts/host-0'],
  ...['/enclosures/0x5000c500a1b2c3d4', '/rounds', '/rounds/1', '/rounds/9', '/rounds/11'],
  ...['/history?profile=osd-throughput', '/history?a=1&b=6', '/schedules'],
];
const WIDTHS = /** @type {const} */ ([
  [1440, 'light'],
  // What 1440 and 1024 leave beside the dashboard's menu.
  [1200, 'dark'],
  [784, 'light'],
  [390, 'light'],
]);

const { url, close } = await served();
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS });
const only = process.argv.slice(2);
let found = 0;

/** @param {string} place @param {string} text */
function tell(place, text) {
  found += 1;
  console.log(`${place}: ${text}`);
}

for (const [width, colorScheme] of WIDTHS) {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  await page.goto(`${url}/#/`);
  await page.evaluate(AXE);
  for (const route of only.length ? only : ROUTES) {
    const place = `${width} ${route}`;
    await page.evaluate((to) => (globalThis.location.hash = `#${to}`), route);
    await page.waitForTimeout(300);
    await page.waitForLoadState('networkidle');
    const result = await page.evaluate(async () => {
      const app = /** @type {HTMLElement} */ (document.querySelector('perf-bench-app'));
      const frame = /** @type {HTMLElement} */ (app.shadowRoot?.querySelector('.pb-frame'));
      const outside = [...frame.querySelectorAll('*')]
        .filter((one) => one.getBoundingClientRect().right > globalThis.innerWidth + 1)
        .filter((one) => !one.closest('.pb-table__scroll, .pb-map__scroll'))
        .map((one) => `${one.localName}.${one.className}`);
      const tables = [...frame.querySelectorAll('.pb-table__scroll')]
        .filter((one) => one.scrollWidth > one.clientWidth)
        .map((one) => `${one.ariaLabel}: ${one.scrollWidth} in ${one.clientWidth} px`);
      const axe = /** @type {any} */ (globalThis).axe;
      // The page around the tab is not ours.
      const rules = ['region', 'page-has-heading-one', 'landmark-one-main', 'html-has-lang'];
      const off = Object.fromEntries(rules.map((rule) => [rule, { enabled: false }]));
      const { violations } = await axe.run({ include: [['perf-bench-app']] }, { rules: off });
      const told = violations.map((/** @type {any} */ one) => ({
        id: one.id,
        help: one.help,
        nodes: one.nodes.map((/** @type {any} */ node) => node.target.flat().at(-1)).slice(0, 3),
        count: one.nodes.length,
      }));
      return {
        told,
        outside: outside.slice(0, 5),
        tables,
        wide: frame.scrollWidth > frame.clientWidth + 1,
      };
    });
    if (result.wide || result.outside.length) tell(place, `too wide: ${result.outside.join(', ')}`);
    for (const one of result.tables) tell(place, `a table scrolls: ${one}`);
    for (const one of result.told)
      tell(place, `${one.id} (${one.count}): ${one.help}: ${one.nodes.join(' | ')}`);
  }
  await page.close();
}
await browser.close();
close();
console.log(`${found} findings`);
process.exit(found ? 1 : 0);
