/** Writes src/generated/types.ts from schema.json beside it; with --check, fails when it is not current. */
import { readFile, writeFile } from 'node:fs/promises';
import { compile } from 'json-schema-to-typescript';
import { format } from 'prettier';

const SCHEMA = new URL('../src/generated/schema.json', import.meta.url);
const TYPES = new URL('../src/generated/types.ts', import.meta.url);
const BANNER = '/* Written by tools/types.mjs from schema.json: change the classes of answers. */';

/** @returns {Promise<string>} the TypeScript of every noun in the schema, and of the rights */
async function generate() {
  const schema = JSON.parse(await readFile(SCHEMA, 'utf8'));
  const rights = `
/** By route the rights that it always needs: scope and permission of the dashboard's roles. */
export const RIGHTS = ${JSON.stringify(schema['x-rights'])} as const;`;
  const tables = [
    routes(schema, 'Gets', 'Answers by their route.', /^GET (\S+) ([^[]+)$/),
    routes(schema, 'Lists', 'Entries of lists by their route.', /^GET (\S+) \[(.+)\]$/),
    routes(
      schema,
      'Posts',
      'Answers to what changes something, by its route.',
      /^POST (\S+) (\S+)$/,
    ),
  ].join('\n');
  // Answers may carry keys that we do not know yet; the types hold those that we do.
  const written = await compile(schema, 'PerfBench', {
    additionalProperties: false,
    unreachableDefinitions: true,
    bannerComment: BANNER,
    unknownAny: true,
    format: false,
  });
  const lean = written.replaceAll(
    /(\n \*)? \n? ?\*? ?This interface was referenced by [^/]*(?=\*\/)/g,
    '',
  );
  return format(lean + rights + tables, {
    parser: 'typescript',
    printWidth: 100,
    singleQuote: true,
  });
}

/**
 * @param {any} schema @param {string} name @param {string} told
 * @param {RegExp} which finds route and answer in "GET osd [Osd]"
 * @returns {string} the answers of these routes as an interface
 */
function routes(schema, name, told, which) {
  const found = Object.entries(schema['x-answers']).flatMap(([asked, answer]) => {
    const [, route, one] = which.exec(`${asked} ${answer}`) ?? [];
    return route ? [`'${route}': ${one};`] : [];
  });
  return `\n/** ${told} */\nexport interface ${name} {\n${found.join('\n')}\n}`;
}

const text = await generate();
if (process.argv.includes('--check')) {
  const current = await readFile(TYPES, 'utf8').catch(() => '');
  if (current !== text) {
    console.error('src/generated/types.ts is not what the schema says: run "toolchain types".');
    process.exit(1);
  }
} else {
  await writeFile(TYPES, text);
}
