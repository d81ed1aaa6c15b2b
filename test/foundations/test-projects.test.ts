// One process runs many test files: what that asks of the lists in test-projects.ts and of the modules that files share.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { alone, extended, whole } from './test-projects.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .map((file) => `test/${file}`)
  .filter((file) => file.endsWith('.ts') && !file.includes('node_modules/'));

/** The syntax that the lists use: `*` within a folder, and `{a,b}`. */
function matches(pattern: string, file: string): boolean {
  const expression = pattern
    .replace(/[.+^$()|[\]\\]/g, '\\$&')
    .replaceAll('*', '[^/]*')
    .replace(/\{([^}]*)\}/g, (_, names: string) => `(${names.replaceAll(',', '|')})`);
  return new RegExp(`^${expression}$`).test(file);
}

const names = [...alone, ...extended, ...whole].flatMap((pattern) => {
  const [, before = pattern, choices = '', after = ''] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(pattern) ?? [];
  return choices.split(',').map((choice) => `${before}${choice}${after}`);
});

it.each(names)('%s, named in a list of test files, matches a file', (name) => {
  expect(files.filter((file) => matches(name, file))).not.toEqual([]);
});

const perFile = /^(?:(?:after|before)(?:Each|All)\(|vi\.(?:mock|setConfig|stub\w*)\()/m;

it('no module that test files share has a hook or a setting at its top, which only the first file would get', () => {
  const shared = files.filter((file) => !file.endsWith('.test.ts') && file !== 'test/setup.ts');
  expect(shared.filter((file) => perFile.test(readFileSync(join(root, file), 'utf8')))).toEqual([]);
  expect(perFile.test('import a;\nafterAll(() => undefined);\n')).toBe(true);
});
