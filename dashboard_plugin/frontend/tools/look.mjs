/**
 * Screenshots of every page against the fake back end, wide and narrow, light and dark.
 *
 * With --docs those of the documentation, into docs/pictures: the first screen, light.
 */
import { mkdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { Answers } from '../fake/answers.mjs';
import { FakeCluster } from '../fake/cluster.mjs';
import { serve } from '../fake/server.mjs';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'look' },
    only: { type: 'string', default: '' },
    osds: { type: 'string', default: '600' },
    docs: { type: 'boolean', default: false },
    chromium: { type: 'string', default: '/usr/bin/chromium' },
  },
});

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** @typedef {{name: string, route: string, do?: (page: import('playwright-core').Page) => Promise<unknown>, mode?: string, running?: boolean, clients?: boolean}} Shot */
/** @type {readonly Shot[]} */
const SHOTS = [
  { name: 'overview', route: '' },
  { name: 'overview-running', route: '', running: true },
  { name: 'overview-off', route: '', mode: 'off' },
  { name: 'overview-broken', route: '', mode: 'broken' },
  { name: 'findings', route: '/findings' },
  { name: 'findings-all', route: '/findings?closed=1' },
  { name: 'finding-osd', route: '/findings/2' },
  { name: 'finding-host', route: '/findings/3' },
  { name: 'host', route: '/hosts/host-0' },
  { name: 'map-marked', route: '/map?layer=ratio&group=host&mark=host-1' },
  {
    name: 'overview-interval',
    route: '',
    do: async (page) => {
      await page.getByRole('button', { name: 'A day' }).click();
      await page.getByRole('slider').press('End');
      await page.getByText('What was different').first().waitFor();
    },
  },
  { name: 'finding-laggy', route: '/findings/4' },
  { name: 'finding-new', route: '/findings/5' },
  {
    name: 'mute',
    route: '/findings/2',
    do: async (page) => {
      await page.getByRole('button', { name: 'Mute…' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'doctor', route: '/doctor' },
  { name: 'enclosures', route: '/enclosures' },
  { name: 'enclosure', route: '/enclosures/0x5000c500a1b2c3d4' },
  { name: 'enclosure-24', route: '/enclosures/0x50080e52f1d4a000' },
  { name: 'enclosure-12', route: '/enclosures/0x50080e52f1d4b000' },
  { name: 'enclosure-map', route: '/enclosures/rack-9-shelf' },
  { name: 'paths', route: '/paths' },
  { name: 'mclock', route: '/mclock' },
  { name: 'crc', route: '/crc' },
  { name: 'workers', route: '/workers' },
  { name: 'laggy', route: '/laggy' },
  { name: 'map', route: '/map' },
  { name: 'map-host', route: '/map?group=host&layer=throughput' },
  {
    name: 'map-zoomed',
    route: '/map?group=class&layer=cv',
    do: async (page) => {
      const zoom = page.getByRole('button', { name: 'Zoom in' });
      while (await zoom.isEnabled()) {
        await zoom.click();
        // The next frame disables it at the closest.
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
      }
      await page.locator('.pb-map__scroll').hover({ position: { x: 300, y: 200 } });
    },
  },
  { name: 'map-table', route: '/map?view=table' },
  { name: 'map-ratio', route: '/map?layer=ratio' },
  {
    name: 'map-commit',
    route: '/map?layer=commit&group=host',
    do: (page) => page.locator('.pb-map__scroll').hover({ position: { x: 40, y: 22 } }),
  },
  { name: 'map-risk', route: '/map?layer=risk&group=rack' },
  { name: 'map-seen-table', route: '/map?view=table&layer=ratio' },
  { name: 'map-unknown', route: '/map?layer=speed' },
  { name: 'osd', route: '/osds/3' },
  { name: 'osd-slow', route: '/osds/360' },
  {
    name: 'osd-month',
    route: '/osds/360',
    do: async (page) => {
      await page.getByRole('button', { name: '30 days' }).click();
      await page.getByRole('img', { name: /30 days/ }).hover({ position: { x: 380, y: 150 } });
      await page.getByText('As a table').click();
    },
  },
  {
    name: 'osd-day',
    route: '/osds/360',
    do: (page) => page.getByRole('button', { name: 'A day' }).click(),
  },
  { name: 'osd-unknown', route: '/osds/999999' },
  { name: 'rounds', route: '/rounds' },
  { name: 'round', route: '/rounds/39' },
  { name: 'round-parts', route: '/rounds/29' },
  { name: 'round-clients', route: '/rounds/27' },
  { name: 'round-saturation', route: '/rounds/28' },
  {
    name: 'round-live',
    route: '/rounds/41',
    clients: true,
    do: (page) => page.getByText('running now').waitFor(),
  },
  { name: 'round-interim', route: '/rounds/41', running: true },
  {
    name: 'start-clients',
    route: '/rounds',
    do: async (page) => {
      await page.getByRole('button', { name: 'Start a round' }).click();
      await page.getByRole('combobox', { name: 'Profile' }).selectOption('rados-write');
      await page.getByText('4 clients × 16').waitFor();
    },
  },
  {
    name: 'import',
    route: '/rounds',
    do: async (page) => {
      await page.getByRole('button', { name: 'Import…' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'round-noisy', route: '/rounds/32' },
  { name: 'compare-choose', route: '/compare?a=38' },
  { name: 'compare-worse', route: '/compare?a=3&b=38' },
  { name: 'compare-same', route: '/compare?a=38&b=40' },
  { name: 'compare-noisy', route: '/compare?a=3&b=32' },
  { name: 'compare-not', route: '/compare?a=3&b=4' },
  { name: 'history', route: '/history?profile=osd-throughput' },
  {
    name: 'history-baseline',
    route: '/history?profile=osd-throughput',
    do: async (page) => {
      await page.getByRole('button', { name: 'Make it the baseline…' }).nth(12).click();
      await page.getByRole('button', { name: 'Make it the baseline', exact: true }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByText('◆ baseline').waitFor();
    },
  },
  { name: 'schedules', route: '/schedules' },
  {
    name: 'schedule-wrong',
    route: '/schedules',
    do: async (page) => {
      await page.getByRole('button', { name: 'Add a schedule…' }).click();
      await page.getByLabel('Name', { exact: true }).fill('nightly');
      await page.getByRole('button', { name: 'Add the schedule' }).click();
      await page.getByRole('alert').first().waitFor();
    },
  },
  { name: 'no-page', route: '/nowhere' },
  {
    name: 'start',
    route: '/rounds',
    do: async (page) => {
      await page.getByRole('button', { name: 'Start a round' }).click();
      await page.locator('pb-plan').waitFor();
    },
  },
  {
    name: 'start-refused',
    route: '/rounds',
    do: async (page) => {
      await page.getByRole('button', { name: 'Start a round' }).click();
      await page.getByLabel('OSDs').fill('13');
      await page.getByText('osd.13 nearfull').waitFor();
    },
  },
  {
    name: 'start-wrong',
    route: '/rounds',
    do: async (page) => {
      await page.getByRole('button', { name: 'Start a round' }).click();
      await page.getByLabel('OSDs').fill('some');
      await page.getByLabel('Block size of a write').fill('much');
      await page.getByRole('alert').first().waitFor();
    },
  },
  {
    name: 'abort',
    route: '/rounds',
    running: true,
    do: async (page) => {
      await page.getByRole('button', { name: 'Abort…' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
];

// The documentation's pictures, each with the shot that it is of.
const PICTURES = { overview: 'overview', map: 'map-ratio', finding: 'finding-osd' };

/** @param {import('playwright-core').Browser} browser @param {Shot} shot @param {number} width @param {'light' | 'dark'} scheme @param {string} [path] Of the first screen; else the whole page, in the folder. */
async function take(browser, shot, width, scheme, path) {
  const answers = new Answers(new FakeCluster({ osds: Number(values.osds), rounds: 40 }), {
    seconds: 600,
  });
  const { url, close } = await serve({ answers });
  if (shot.running) {
    answers.start({ profile: 'osd-throughput', label: 'look' });
    if (answers.active) answers.active.begun -= 250_000;
  }
  if (shot.clients) {
    answers.start({ profile: 'rados-write' });
    if (answers.active) answers.active.begun -= 20_000;
  }
  answers.mode = shot.mode ?? '';
  const viewport = { width, height: path ? 780 : 900 };
  const page = await browser.newPage({ viewport, colorScheme: scheme });
  page.on('pageerror', (error) => complain(shot, error.message));
  page.on('console', (message) => {
    const asked = /the server responded with a status of/.test(message.text());
    if (message.type() === 'error' && !asked) complain(shot, message.text());
  });
  await page.goto(`${url}/#/perf-bench${shot.route}`);
  await page.waitForLoadState('networkidle');
  await shot.do?.(page);
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
  await close();
}

let complaints = 0;
/** @param {Shot} shot @param {string} text */
function complain(shot, text) {
  complaints += 1;
  console.error(`${shot.name}: ${text}`);
}

const browser = await chromium.launch({ executablePath: values.chromium, args: FLAGS });
if (values.docs) {
  const folder = new URL('../../../docs/pictures/', import.meta.url).pathname;
  for (const [name, of] of Object.entries(PICTURES)) {
    const shot = SHOTS.find((one) => one.name === of);
    if (shot) await take(browser, shot, 1200, 'light', `${folder}${name}.png`);
  }
  await browser.close();
  process.exit(complaints ? 1 : 0);
}
await mkdir(values.out, { recursive: true });
const shots = SHOTS.filter((shot) => !values.only || values.only.split(',').includes(shot.name));
for (const shot of shots) {
  await take(browser, shot, 1400, 'light');
  await take(browser, shot, 800, 'dark');
}
await browser.close();
console.log(
  `${shots.length * 2} pictures in ${values.out}, ${complaints} complaints of the browser`,
);
process.exit(complaints ? 1 : 0);
