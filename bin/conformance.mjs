#!/usr/bin/env node
// usage: node bin/conformance.mjs [--report FILE]
// Prints, for each of the five designs, how many of its core items a test proves, and which are not proven and why. It runs
// the conformance tables and every test file that they name; with --report it reads vitest's JSON report of a whole run
// instead. It fails when a test failed or a core item has neither a proof nor a recorded reason.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { namedFiles, readProofs, testFilesOf } from './setup/count-proven.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [flag, given] = process.argv.slice(2);
const report = flag === '--report' ? JSON.parse(readFileSync(given, 'utf8')) : runTests();
const { proven, reasons } = readProofs(report, root);
const designs = JSON.parse(readFileSync(join(root, 'test/conformance/items.json'), 'utf8'));
let isWhole = report.success;
for (const [design, { name, count, extra }] of Object.entries(designs)) {
  const all = Array.from({ length: count }, (_, index) => index + 1);
  const id = (number) => `${design}-${String(number).padStart(2, '0')}`;
  const core = all.filter((number) => !extra.includes(number)).map(id);
  const missing = core.filter((item) => !proven.has(item));
  const extras = extra.map(id).filter((item) => proven.has(item)).length;
  console.log(
    `${design} ${name}: ${core.length - missing.length} of ${core.length} core items proven, and ${extras} of ${extra.length} extras`,
  );
  for (const item of missing) console.log(`  not proven: ${item} (${reasons.get(item) ?? 'no test names it'})`);
  isWhole &&= missing.every((item) => reasons.get(item)?.includes('did not run and pass') === false);
}
process.exitCode = isWhole ? 0 : 1;

function runTests() {
  const tables = vitest(['test/conformance']);
  const testFiles = listTestFiles();
  const files = namedFiles(tables).flatMap((file) => testFilesOf(file, testFiles, root));
  const others = vitest([...new Set(files)]);
  return {
    success: tables.success && others.success,
    testResults: [...tables.testResults, ...others.testResults],
  };
}

function listTestFiles() {
  const names = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
    .map((name) => join('test', name));
}

function vitest(files) {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-conformance-'));
  const output = join(folder, 'report.json');
  try {
    execFileSync('npx', ['vitest', 'run', ...files, '--reporter=json', `--outputFile=${output}`], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  } catch {
    process.stderr.write('some tests failed\n');
  }
  try {
    return JSON.parse(readFileSync(output, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
