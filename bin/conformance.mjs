#!/usr/bin/env node
// usage: node bin/conformance.mjs [--report FILE]
// Prints three numbers for each of the five designs: how many items it has, how many of them a test that ran proves, and how
// many the decision records name. It runs the conformance tables and every test file that they name; with --report it reads
// vitest's JSON report of a whole run instead. It fails when a test failed or an item has neither a proof nor a record.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countDesigns, namedFiles, readDecided, readProofs, testFilesOf } from './setup/count-proven.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [flag, given] = process.argv.slice(2);
const report = flag === '--report' ? JSON.parse(readFileSync(given, 'utf8')) : runTests();
const designs = JSON.parse(readFileSync(join(root, 'test/conformance/items.json'), 'utf8'));
const counts = countDesigns(designs, readProofs(report, root), readDecided(join(root, 'docs/decisions')));
for (const { design, name, items, proven, decided, missing } of counts) {
  console.log(
    `${design} ${name}: ${items} items, ${proven} proven by a test that ran, ${decided} named by decision records`,
  );
  for (const { item, why } of missing) console.log(`  neither: ${item} (${why})`);
}
const isWhole = report.success && counts.every(({ missing }) => missing.length === 0);
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
