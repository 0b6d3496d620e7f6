/** Writes src/generated/languages.ts: a language is one file in src/app/i18n/languages. */
import { readFile, readdir, writeFile } from 'node:fs/promises';

const FOLDER = new URL('../src/app/i18n/languages/', import.meta.url);
const MADE = new URL('../src/generated/languages.ts', import.meta.url);

/** @returns {Promise<string>} the table of languages, each loaded only when it is asked for */
async function generate() {
  const files = (await readdir(FOLDER)).filter((name) => /^[a-z]{2,3}\.ts$/.test(name)).sort();
  const lines = files.map((name) => {
    const language = name.slice(0, -'.ts'.length);
    return `  ${language}: async () => (await import('../app/i18n/languages/${language}')).default,`;
  });
  return `/* Written by tools/languages.mjs from the files in app/i18n/languages: add one there. */
import type { Translation } from '../app/i18n/i18n';

export const LANGUAGES: Readonly<Record<string, () => Promise<Translation>>> = {
${lines.join('\n')}
};
`;
}

const text = await generate();
if (process.argv.includes('--check')) {
  if ((await readFile(MADE, 'utf8').catch(() => '')) !== text) {
    console.error('src/generated/languages.ts is not current: run "toolchain types".');
    process.exit(1);
  }
} else {
  await writeFile(MADE, text);
}
