/** What the bundle weighs, compressed as served to any browser (gzip); exit 1 when too much. */
import { readFile } from 'node:fs/promises';

const KIB = 1024;
// INTERFACE of the tab: what must be there before it shows. Charts are apart, in lazy chunks.
const INITIAL = 250 * KIB;
const LAZY_CHUNK = 250 * KIB;

/** @type {{main: string, files: Record<string, {gzip: number, initial: boolean}>}} */
const manifest = JSON.parse(
  await readFile(new URL('../dist/manifest.json', import.meta.url), 'utf8'),
);
const entries = Object.entries(manifest.files);
const initial = entries.filter(([, file]) => file.initial).reduce((sum, [, f]) => sum + f.gzip, 0);
const lazy = entries.filter(([, file]) => !file.initial);
const largest = Math.max(0, ...lazy.map(([, file]) => file.gzip));
const kib = (/** @type {number} */ bytes) => `${(bytes / KIB).toFixed(1)} KiB`;

console.log(
  `bundle: initial ${kib(initial)} of ${kib(INITIAL)}, ${lazy.length} lazy chunks ` +
    `(largest ${kib(largest)} of ${kib(LAZY_CHUNK)}), gzip`,
);
if (initial > INITIAL || largest > LAZY_CHUNK) {
  console.error('The bundle is over its budget.');
  process.exit(1);
}
