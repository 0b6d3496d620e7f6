/** Which packages a bundle holds, and whether each has a licence that may be shipped. */

/** Licences (SPDX) that may be linked with LGPL-2.1-or-later and need no more than their text. */
export const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
]);

/**
 * The packages with at least one byte in an output of esbuild.
 * @param {{outputs: Record<string, {inputs: Record<string, {bytesInOutput: number}>}>}} stats
 */
export function bundledPackages(stats) {
  const names = new Set();
  for (const output of Object.values(stats.outputs)) {
    for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
      const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input) ?? [];
      if (name && bytesInOutput > 0) names.add(name);
    }
  }
  return [...names].sort();
}

/**
 * By package its licence, and whether a text follows; from Angular's 3rdpartylicenses.txt.
 * @param {string} text
 */
export function licencesOf(text) {
  /** @type {Map<string, {licence: string, hasText: boolean}>} */
  const found = new Map();
  const sections = text.split(/^-{80}$/m);
  for (const section of sections) {
    const [, name, licence, rest] = /Package: (\S+)\nLicense: "(.*)"\n([^]*)/.exec(section) ?? [];
    if (name) found.set(name, { licence: licence ?? '', hasText: (rest ?? '').trim() !== '' });
  }
  return found;
}

/**
 * A sentence for each package without a licence, without its text, or with another licence.
 * @param {readonly string[]} bundled
 * @param {ReturnType<typeof licencesOf>} found
 */
export function faults(bundled, found) {
  if (bundled.length === 0) return ['No package is in the bundle: are the statistics of esbuild?'];
  return bundled.flatMap((name) => {
    const own = found.get(name);
    if (!own) return [`${name} is in the bundle, and not in 3rdpartylicenses.txt.`];
    if (!ALLOWED.has(own.licence)) return [`${name} has the licence "${own.licence}".`];
    return own.hasText ? [] : [`${name} is in 3rdpartylicenses.txt without its licence's text.`];
  });
}
