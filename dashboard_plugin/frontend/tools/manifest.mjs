/** After the build: each file in dist/ gets its .gz and .br beside it, and manifest.json names them. */
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import zlib from 'node:zlib';

const DIST = new URL('../dist/', import.meta.url);
const gzip = promisify(zlib.gzip);
const brotli = promisify(zlib.brotliCompress);

/** @param {string} name a file of the build @param {Set<string>} initial */
async function describe(name, initial) {
  const bytes = await readFile(new URL(name, DIST));
  const [gz, br] = await Promise.all([gzip(bytes, { level: 9 }), brotli(bytes)]);
  await writeFile(new URL(`${name}.gz`, DIST), gz);
  await writeFile(new URL(`${name}.br`, DIST), br);
  return {
    bytes: bytes.length,
    gzip: gz.length,
    brotli: br.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    initial: initial.has(name),
  };
}

/** What the browser fetches before anything shows: main and all that it imports statically.
 * @param {string} main @param {string[]} names */
async function reached(main, names) {
  const found = new Set([main]);
  for (const name of found) {
    const text = await readFile(new URL(name, DIST), 'utf8');
    for (const [, imported] of text.matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g)) {
      if (imported && names.includes(imported)) found.add(imported);
    }
  }
  return found;
}

const all = await readdir(DIST);
await Promise.all(
  all.filter((n) => /\.(gz|br)$/.test(n)).map((n) => rm(new URL(n, DIST), { force: true })),
);
const scripts = all.filter((name) => name.endsWith('.js'));
const main = scripts.find((name) => name.startsWith('main-'));
if (!main) throw new Error('the build has no main-HASH.js');
const initial = await reached(main, scripts);
/** @type {Record<string, Awaited<ReturnType<typeof describe>>>} */
const files = {};
for (const name of scripts.sort()) files[name] = await describe(name, initial);
await writeFile(new URL('manifest.json', DIST), `${JSON.stringify({ main, files }, null, 2)}\n`);
