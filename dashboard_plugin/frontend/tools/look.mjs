/**
 * Screenshots of every page on a simulated cluster, wide and narrow, light and dark.
 *
 * With --docs those of the documentation, into docs/pictures: the first screen, light.
 */
import { mkdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { FLAGS, served } from './served.mjs';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'look' },
    only: { type: 'string', default: '' },
    osds: { type: 'string', default: '12' },
    docs: { type: 'boolean', default: false },
    chromium: { type: 'string', default: '/usr/bin/chromium' },
  },
});

const SHELF = '0x5000c500a1b2c3d4';
/** @typedef {{name: string, route: string, do?: (page: import('playwright-core').Page) => Promise<unknown>, broken?: boolean}} Shot */
/** @type {readonly Shot[]} */
const SHOTS = [
  { name: 'overview', route: '/' },
  { name: 'overview-broken', route: '/', broken: true },
  { name: 'wrong', route: '/wrong' },
  { name: 'findings-all', route: '/findings?closed=1' },
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
  {
    name: 'overview-interval',
    route: '/',
    do: (page) => page.getByRole('slider').press('End'),
  },
  { name: 'doctor', route: '/doctor' },
  { name: 'enclosures', route: '/enclosures' },
  { name: 'enclosure', route: `/enclosures/${SHELF}` },
  { name: 'paths', route: '/paths' },
  { name: 'mclock', route: '/mclock' },
  { name: 'crc', route: '/crc' },
  { name: 'workers', route: '/workers' },
  { name: 'laggy', route: '/laggy' },
  { name: 'osd', route: '/osds/0' },
  { name: 'osd-slow', route: '/osds/4' },
  { name: 'rounds', route: '/rounds' },
  { name: 'round', route: '/rounds/1' },
  { name: 'round-parts', route: '/rounds/9' },
  { name: 'round-clients', route: '/rounds/10' },
  { name: 'round-saturation', route: '/rounds/11' },
  { name: 'compare', route: '/compare?a=1&b=6' },
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

// The documentation's pictures, each with the shot that it is of.
const PICTURES = { overview: 'overview', map: 'map-marked', finding: 'finding' };

const { url, close } = await served('--osds', values.osds);
const browser = await chromium.launch({ executablePath: values.chromium, args: FLAGS });
let complaints = 0;

/** @param {Shot} shot @param {string} text */
function complain(shot, text) {
  complaints += 1;
  console.error(`${shot.name}: ${text}`);
}

/** @param {Shot} shot @param {number} width @param {'light' | 'dark'} scheme @param {string} [path] Of the first screen; else the whole page, in the folder. */
async function take(shot, width, scheme, path) {
  const viewport = { width, height: path ? 780 : 900 };
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
  // Charts are loaded after their page; nobody retakes a picture of the documentation by chance.
  if (path) await page.waitForTimeout(8000);
  await page.screenshot({
    path: path ?? `${values.out}/${shot.name}-${width}-${scheme}.png`,
    fullPage: !path,
  });
  await page.close();
}

if (values.docs) {
  const folder = new URL('../../../docs/pictures/', import.meta.url).pathname;
  for (const [name, of] of Object.entries(PICTURES)) {
    const shot = SHOTS.find((one) => one.name === of);
    if (shot) await take(shot, 1200, 'light', `${folder}${name}.png`);
  }
} else {
  await mkdir(values.out, { recursive: true });
  const shots = SHOTS.filter((shot) => !values.only || values.only.split(',').includes(shot.name));
  for (const shot of shots) {
    await take(shot, 1400, 'light');
    await take(shot, 390, 'dark');
  }
  console.log(`${shots.length * 2} pictures in ${values.out}, ${complaints} complaints`);
}
await browser.close();
close();
process.exit(complaints ? 1 : 0);
