// The rules of biome.json that the house counts on are shown to bite: some are still nursery and may be renamed or moved.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

const planted: readonly (readonly [rule: string, text: string])[] = [
  ['nursery/noFloatingPromises', 'async function f(): Promise<number> {\n  return 1;\n}\nf();\n'],
  ['nursery/noMisusedPromises', 'const p = Promise.resolve(true);\nif (p) {\n  console.log(1);\n}\n'],
  [
    'nursery/useExhaustiveSwitchCases',
    `type Day = 'mon' | 'tue';\nexport function f(day: Day): void {\n  switch (day) {\n    case 'mon':\n      break;\n  }\n}\n`,
  ],
  ['style/noNonNullAssertion', 'export const f = (a: string | null): string => a!;\n'],
  ['style/noDefaultExport', 'export default 1;\n'],
  ['style/noEnum', 'export enum A {\n  B,\n}\n'],
  ['style/noParameterProperties', 'export class A {\n  constructor(readonly b: number) {}\n}\n'],
  ['style/useImportType', `import { A } from './a.js';\nexport type B = A;\n`],
  ['style/useNodejsImportProtocol', `import { join } from 'path';\nexport const a = join('b');\n`],
  ['suspicious/noExplicitAny', 'export const f = (a: any): unknown => a;\n'],
  ['suspicious/noEmptyBlockStatements', 'try {\n  f();\n} catch {}\n'],
];

describe('biome with the configuration of this project', () => {
  let folder = '';
  let printed = '';

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'bosun-lint-'));
    for (const name of ['biome.json', '.gitignore']) cpSync(join(root, name), join(folder, name));
    mkdirSync(join(folder, 'src'));
    for (const [index, [, text]] of planted.entries()) writeFileSync(join(folder, 'src', `case-${index}.ts`), text);
    const args = ['lint', '--reporter=github', '--max-diagnostics=none'];
    const ran = spawnSync(join(root, 'node_modules', '.bin', 'biome'), args, { cwd: folder, encoding: 'utf8' });
    printed = ran.stdout + ran.stderr;
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('reads biome.json without complaint', () => {
    expect(printed).not.toMatch(/deserialize|DEPRECATED|unknown key|configuration/i);
  });

  it.each(planted.map(([rule], index) => [rule, index] as const))('reports %s as an error', (rule, index) => {
    const lines = printed.split('\n').filter((line) => line.includes(`case-${index}.ts`));
    expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^::error title=lint/${rule},`)));
  });
});
