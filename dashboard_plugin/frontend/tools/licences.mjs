/**
 * After the build: every module of the bundle has its licence in dist/3rdpartylicenses.txt, and it is
 * one that may be shipped with LGPL-2.1-or-later; exit 1 if not. The packages go to
 * .cache/bundled.json, from which `make sbom` makes the bill of materials.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { bundledPackages, faults, licencesOf } from './licence-rules.mjs';

const ROOT = new URL('../', import.meta.url);
const stats = new URL('dist/browser-stats.json', ROOT);
const bundled = bundledPackages(JSON.parse(await readFile(stats, 'utf8')));
await rm(stats); // it is not for the tab
const found = licencesOf(await readFile(new URL('dist/3rdpartylicenses.txt', ROOT), 'utf8'));
const wrong = faults(bundled, found);
for (const fault of wrong) console.error(fault);
if (wrong.length > 0) process.exit(1);
await mkdir(new URL('.cache/', ROOT), { recursive: true });
await writeFile(new URL('.cache/bundled.json', ROOT), `${JSON.stringify(bundled, null, 2)}\n`);
console.log(`licences: ${bundled.length} packages are in the bundle, each with its licence`);
