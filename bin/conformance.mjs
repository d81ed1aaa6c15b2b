#!/usr/bin/env node
// Runs the conformance tables and prints, for each of the five designs, how many of its core items are proven, and which
// are not. An item counts only where a test that names it in its title has passed.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'bosun-conformance-'));
const report = join(folder, 'report.json');
let failed = false;
try {
  execFileSync('npx', ['vitest', 'run', 'test/conformance', '--reporter=json', `--outputFile=${report}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
} catch {
  failed = true;
}
const tests = JSON.parse(readFileSync(report, 'utf8')).testResults.flatMap((file) => file.assertionResults);
rmSync(folder, { recursive: true });
const proven = new Set();
const leftOut = new Map();
for (const { title, status } of tests) {
  const named = /^(?:S\d-\d+(?: |(?=:)|$))+/.exec(title)?.[0].trim().split(' ') ?? [];
  const reason = / is left out: (.*)$/.exec(title)?.[1];
  for (const item of named) {
    if (reason !== undefined) leftOut.set(item, reason);
    else if (status === 'passed') proven.add(item);
  }
}
const designs = JSON.parse(readFileSync(new URL('../test/conformance/items.json', import.meta.url), 'utf8'));
for (const [design, { name, count, extra }] of Object.entries(designs)) {
  const all = Array.from({ length: count }, (_, index) => index + 1);
  const id = (number) => `${design}-${String(number).padStart(2, '0')}`;
  const core = all.filter((number) => !extra.includes(number)).map(id);
  const missing = core.filter((item) => !proven.has(item));
  const extras = extra.map(id).filter((item) => proven.has(item)).length;
  console.log(
    `${design} ${name}: ${core.length - missing.length} of ${core.length} core items proven, and ${extras} of ${extra.length} extras`,
  );
  for (const item of missing) console.log(`  not proven: ${item}${leftOut.has(item) ? ` (${leftOut.get(item)})` : ''}`);
}
process.exitCode = failed ? 1 : 0;
