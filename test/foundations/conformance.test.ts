// What counts as proof that an item of a design holds. One real run of vitest over planted files gives the report.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countDesigns, namedFiles, readDecided, readProofs, testFilesOf } from '../../bin/setup/count-proven.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'bosun-conformance-'));
const planted = {
  'test/conformance/rows.test.ts': `
    import { it } from 'vitest';
    const other = 'test/other/named.test.ts';
    it('S0-01 S0-02: holds here', () => {});
    it.skip('S0-03: is skipped here', () => {});
    // it('S0-04: is commented out here', () => {});
    it.each([
      ['S1-01', other, 'runs and passes'],
      ['S1-02', other, 'a row for %s'],
      ['S1-03', other, 'is skipped'],
      ['S1-04', other, 'is commented out'],
      ['S1-05', other, 'had this name before'],
      ['S1-06', 'test/contract/suite.ts', 'holds for each implementation'],
    ])('%s is proved in %s by "%s"', () => {});
    it('S1-07 is left out: another product installs it', () => {});`,
  'test/other/named.test.ts': `
    import { it } from 'vitest';
    it('runs and passes', () => {});
    it.each(['one', 'two'])('a row for %s', () => {});
    it.skip('is skipped', () => {});
    // it('is commented out', () => {});
    it('has this name now: had this name before', () => {});`,
  'test/contract/suite.ts': `
    import { it } from 'vitest';
    export const suite = () => it('holds for each implementation', () => {});`,
  'test/other/implementation.test.ts': `import { suite } from '../contract/suite.js';\nsuite();`,
};

type Report = Parameters<typeof readProofs>[0];
let report: Report;

beforeAll(() => {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const [file, text] of Object.entries(planted)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  const output = join(folder, 'report.json');
  const args = ['run', '--root', folder, '--reporter=json', `--outputFile=${output}`];
  execFileSync(join(root, 'node_modules/.bin/vitest'), args, { cwd: folder, stdio: 'ignore' });
  report = JSON.parse(readFileSync(output, 'utf8'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ['a conformance test that passed', ['S0-01', 'S0-02']],
  ['a named test of another file that passed', ['S1-01']],
  ['a named table, all rows of which passed', ['S1-02']],
  ['a named test of a suite that another file runs', ['S1-06']],
])('%s proves its item', (_what, items) => {
  const { proven } = readProofs(report, folder);
  expect(items.filter((item) => !proven.has(item))).toEqual([]);
});

it.each([
  ['skipped', 'S0-03'],
  ['commented out', 'S0-04'],
  ['skipped in the file that the row names', 'S1-03'],
  ['commented out in the file that the row names', 'S1-04'],
  ['renamed in the file that the row names', 'S1-05'],
  ['left out for a reason', 'S1-07'],
])('a test that is %s proves nothing', (_what, item) => {
  expect(readProofs(report, folder).proven.has(item)).toBe(false);
});

it('the count tells items, the proven ones and those covered by decision records', () => {
  mkdirSync(join(folder, 'decisions'));
  writeFileSync(
    join(folder, 'decisions/0001-what-is-left-out.md'),
    'S1-07 is another product’s, and so are S1-04 and S0-03.\n',
  );
  const designs = {
    S0: { name: 'here', count: 3, added: ['is commented out here'] },
    S1: { name: 'elsewhere', count: 7, added: [] },
  };
  const whole = (item: string) => ({ item, why: expect.stringContaining('did not run and pass') });
  const unnamed = (item: string) => ({ item, why: 'no test names it' });
  const counts = () => countDesigns(designs, readProofs(report, folder), readDecided(join(folder, 'decisions')));
  expect(counts()).toEqual([
    { design: 'S0', name: 'here', items: 4, proven: 2, decided: 1, missing: [whole('S0-03'), unnamed('S0-04')] },
    {
      ...{ design: 'S1', name: 'elsewhere', items: 7, proven: 3, decided: 2 },
      missing: [whole('S1-03'), whole('S1-04'), whole('S1-05')],
    },
  ]);
});

it('the reason names the test that did not run and pass', () => {
  const { reasons } = readProofs(report, folder);
  expect(reasons.get('S1-04')).toBe('"is commented out" of test/other/named.test.ts did not run and pass');
  expect(reasons.get('S1-07')).toBe('another product installs it');
});

it('namedFiles finds the test files that must run to prove the rows', () => {
  const files = namedFiles(report);
  expect(files).toEqual(['test/other/named.test.ts', 'test/contract/suite.ts']);
  const testFiles = Object.keys(planted).filter((file) => file.endsWith('.test.ts'));
  expect(files.flatMap((file) => testFilesOf(file, testFiles, folder))).toEqual([
    'test/other/named.test.ts',
    'test/other/implementation.test.ts',
  ]);
});
