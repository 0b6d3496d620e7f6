import { describe, expect, it } from '@jest/globals';
import { bundledPackages, faults, licencesOf } from '../../tools/licence-rules.mjs';

const LINE = '-'.repeat(80);
const section = (name: string, licence: string, text: string) =>
  `${LINE}\nPackage: ${name}\nLicense: "${licence}"\n\n${text}\n`;
const FILE = section('@a/b', 'MIT', 'The MIT License') + section('c', '0BSD', 'Permission') + LINE;
const input = (bytesInOutput: number) => ({ bytesInOutput });

describe('the licences of the bundle', () => {
  it('are those of packages with code in it', () => {
    const inputs = {
      'src/main.ts': input(5),
      'node_modules/@a/b/x.mjs': input(7),
      'node_modules/c/node_modules/d/lib/y.js': input(1),
      'node_modules/unused/z.js': input(0),
    };
    expect(bundledPackages({ outputs: { 'main.js': { inputs } } })).toEqual(['@a/b', 'd']);
  });

  it('are found where each has one that is allowed', () => {
    expect(faults(['@a/b', 'c'], licencesOf(FILE))).toEqual([]);
  });

  it.each([
    ['is missing', ['@a/b', 'zzz'], FILE, 'zzz is in the bundle, and not in 3rdpartylicenses.txt.'],
    ['is not allowed', ['e'], section('e', 'GPL-3.0', 'x'), 'e has the licence "GPL-3.0".'],
    ['has no text', ['e'], section('e', 'MIT', ''), "without its licence's text"],
    ['has no package', [], FILE, 'No package is in the bundle'],
  ])('are refused where one %s', (_, bundled, text, wanted) => {
    const found = faults(bundled, licencesOf(text));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(wanted);
  });
});
