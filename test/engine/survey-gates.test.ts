import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseEvidence } from '../../src/engine/report/evidence/evidence.js';
import { type Facts, holds, parseExpression } from '../../src/engine/workflow/expressions/expression.js';

interface GateText {
  readonly id: string;
  readonly fail_when: string;
}

const gates = parse(readFileSync('workflows/lifecycle.yaml', 'utf8')).fragments.phase.nodes as readonly GateText[];

function fails(gate: string, facts: Facts): boolean {
  const text = gates.find(({ id }) => id === gate)?.fail_when ?? '';
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.error}`);
  return holds(parsed.expression, facts);
}

function read(name: string, written: string): unknown {
  const parsed = parseEvidence(name, written);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
}

it.each<[gate: string, file: string, written: unknown, isFailed: boolean]>([
  ['post-verify', 'verification.json', { passed: true, gaps: [] }, false],
  ['post-verify', 'verification.json', { gaps: [] }, false],
  ['post-verify', 'verification.json', { passed: true }, false],
  ['post-verify', 'verification.json', { passed: true, gaps: ['a'] }, true],
  ['post-verify', 'verification.json', { passed: false, gaps: [] }, true],
  ['post-verify', 'verification.json', {}, true],
  ['post-business-test', 'business-test-results.json', { passed: true, failures: [] }, false],
  ['post-business-test', 'business-test-results.json', { failures: [{ id: 'BF-001' }] }, true],
  ['post-business-test', 'business-test-results.json', { passed: false }, true],
  ['post-business-test', 'business-test-results.json', {}, true],
  ['post-review', 'review.json', { verdict: 'PASS', issues: [] }, false],
  ['post-review', 'review.json', { verdict: 'warn', issues: [{ severity: 'high' }] }, false],
  ['post-review', 'review.json', { verdict: 'BLOCK', issues: [] }, true],
  ['post-review', 'review.json', { verdict: 'PASS', issues: [{ severity: 'Critical' }] }, true],
  ['post-review', 'review.json', { verdict: 'splendid' }, true],
  ['post-review', 'review.json', {}, true],
])('gate %s judges %s with %j: failed is %s', (gate, file, written, isFailed) => {
  expect(fails(gate, read(file, JSON.stringify(written)) as Facts)).toBe(isFailed);
});

const good = '---\nstatus: complete\n---\n## Results\n- Login: pass\n';

it.each<[uat: string, tests: unknown, isFailed: boolean]>([
  [good, null, false],
  [good, { results: [{ name: 'a', status: 'passed' }] }, false],
  [good, { results: [{ name: 'a', status: 'failed' }] }, true],
  [good, { passed: false }, true],
  [`${good}- Pay: issue\n`, null, true],
  [`${good}- Pay: skipped\n`, null, true],
  [`${good}## Gaps\n- [medium] slow\n`, null, false],
  [`${good}## Gaps\n- [high] slow\n`, null, true],
  ['---\nstatus: testing\n---\n## Results\n- Login: pass\n', null, true],
  ['nothing to see\n', null, true],
])('gate post-test judges %j with tests %j: failed is %s', (uat, tests, isFailed) => {
  const results = tests === null ? null : read('.tests/test-results.json', JSON.stringify(tests));
  expect(fails('post-test', { uat: read('uat.md', uat), test_results: results })).toBe(isFailed);
});
