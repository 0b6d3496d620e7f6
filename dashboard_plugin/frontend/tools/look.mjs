/**
 * Screenshots of every page on a simulated cluster, wide and light, narrow and dark; what axe finds
 * there, and what scrolls sideways.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'look' },
    only: { type: 'string', default: '' },
    osds: { type: 'string', default: '12' },
    chromium: { type: 'string', default: '/usr/bin/chromium' },
  },
});

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The built tab over the module itself. */
const PROGRAM = new URL('../../../qa/tab', import.meta.url).pathname;
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const SHELF = '0x5000c500a1b2c3d4';
/** @typedef {{name: string, route: string, do?: (page: import('playwright-core').Page) => Promise<unknown>, broken?: boolean}} Shot */
/** @type {readonly Shot[]} */
const SHOTS = [
  { name: 'overview', route: '/' },
  { name: 'overview-broken', route: '/', broken: true },
  { name: 'wrong', route: '/wrong' },
  { name: 'wrong-all', route: '/wrong?closed=1' },
  { name: 'finding', route: '/findings/4' },
  {
    name: 'mute',
    route: '/findings/4',
    do: (page) => page.getByRole('button', { name: 'Mute…' }).click(),
  },
  { name: 'host', route: '/hosts/host-0' },
  { name: 'hosts', route: '/hosts' },
  { name: 'map', route: '/map' },
  { name: 'map-marked', route: '/map?layer=ratio&group=host&mark=host-1' },
  { name: 'map-table', route: '/map?view=table&layer=ratio' },
  { name: 'hardware', route: '/hardware' },
  { name: 'enclosure', route: `/enclosures/${SHELF}` },
  { name: 'laggy', route: '/laggy' },
  { name: 'osd', route: '/osds/0' },
  { name: 'osd-slow', route: '/osds/4' },
  { name: 'rounds', route: '/rounds' },
  { name: 'round', route: '/rounds/1' },
  { name: 'round-parts', route: '/rounds/9' },
  { name: 'round-clients', route: '/rounds/10' },
  { name: 'round-saturation', route: '/rounds/11' },
  { name: 'compare', route: '/history?a=1&b=6' },
  { name: 'history', route: '/history?profile=osd-throughput' },
  { name: 'schedules', route: '/schedules' },
  { name: 'settings', route: '/settings' },
  { name: 'no-page', route: '/nowhere' },
  {
    name: 'import',
    route: '/rounds',
    do: (page) => page.getByRole('button', { name: 'Import…' }).click(),
  },
  {
    name: 'start',
    route: '/rounds',
    do: async (page) => {
      await page.getByRole('button', { name: 'Start a round' }).click();
      await page.locator('pb-plan').waitFor();
    },
  },
  {
    name: 'start-wrong',
    route: '/rounds',
    do: async (page) => {
      await page.getByRole('button', { name: 'Start a round' }).click();
      await page.getByLabel('OSDs', { exact: true }).fill('some');
      await page.getByLabel('Block size of a write').fill('much');
      await page.getByRole('alert').first().waitFor();
    },
  },
];

/** @param {readonly string[]} options
 * @returns {Promise<{url: string, close: () => void}>} */
async function served(...options) {
  const server = spawn(PROGRAM, ['serve', ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await Promise.race([once(server.stdout, 'data'), once(server, 'exit')]);
  const url = String(line).trim();
  if (!url.startsWith('http')) throw new Error('qa/tab serve did not start');
  return { url, close: () => void server.kill() };
}

const { url, close } = await served('--osds', values.osds);
const browser = await chromium.launch({ executablePath: values.chromium, args: FLAGS });
let complaints = 0;

/** @param {Shot} shot @param {string} text */
function complain(shot, text) {
  complaints += 1;
  console.error(`${shot.name}: ${text}`);
}

/** @param {Shot} shot @param {number} width @param {'light' | 'dark'} scheme */
async function take(shot, width, scheme) {
  const viewport = { width, height: 900 };
  const page = await browser.newPage({ viewport, colorScheme: scheme });
  page.on('pageerror', (error) => complain(shot, error.message));
  page.on('console', (message) => {
    const asked = /the server responded with a status of/.test(message.text());
    if (message.type() === 'error' && !asked) complain(shot, message.text());
  });
  if (shot.broken)
    await page.route('**/api/perf_bench/**', (route) => route.fulfill({ status: 500, body: '{}' }));
  await page.goto(`${url}/#${shot.route}`);
  await page.waitForLoadState('networkidle');
  await shot.do?.(page);
  await page.waitForLoadState('networkidle');
  // The next frame but one has drawn what the last answer brought.
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );
  const path = `${values.out}/${shot.name}-${width}-${scheme}.png`;
  await page.screenshot({ path, fullPage: true });
  await judge(shot, width, page);
  await page.close();
}

/** @param {Shot} shot @param {number} width @param {import('playwright-core').Page} page */
async function judge(shot, width, page) {
  await page.evaluate(AXE);
  const told = await page.evaluate(async () => {
    const app = /** @type {HTMLElement} */ (document.querySelector('perf-bench-app'));
    const wide = [...(app.shadowRoot?.querySelectorAll('.pb-frame *') ?? [])]
      .filter((one) => one.getBoundingClientRect().right > globalThis.innerWidth + 1)
      .filter((one) => !one.closest('.pb-table__scroll, .pb-map__scroll'))
      .map((one) => `too wide: ${one.localName}.${one.className}`);
    // The page around the tab is not ours.
    const rules = ['region', 'page-has-heading-one', 'landmark-one-main', 'html-has-lang'];
    const off = Object.fromEntries(rules.map((rule) => [rule, { enabled: false }]));
    const axe = /** @type {any} */ (globalThis).axe;
    const { violations } = await axe.run({ include: [['perf-bench-app']] }, { rules: off });
    const found = violations.map(
      (/** @type {any} */ one) => `${one.id}: ${one.help}: ${one.nodes[0].target.flat().at(-1)}`,
    );
    return [...wide.slice(0, 5), ...found];
  });
  for (const text of told) complain(shot, `at ${width}: ${text}`);
}

await mkdir(values.out, { recursive: true });
const shots = SHOTS.filter((shot) => !values.only || values.only.split(',').includes(shot.name));
for (const shot of shots) {
  await take(shot, 1400, 'light');
  await take(shot, 390, 'dark');
}
console.log(`${shots.length * 2} pictures in ${values.out}, ${complaints} complaints`);
await browser.close();
close();
process.exit(complaints ? 1 : 0);
