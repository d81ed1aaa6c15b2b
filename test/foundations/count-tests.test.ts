// The last line of .ci/run, and when it makes the run fail.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('../../bin/setup/count-tests.mjs', import.meta.url));

function count(report: unknown, ci: string): { code: number | null; line: string; errors: string } {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-count-'));
  const file = join(folder, 'tests.json');
  if (report !== null) writeFileSync(file, JSON.stringify(report));
  const ran = spawnSync(process.execPath, [script, file], { encoding: 'utf8', env: { ...process.env, CI: ci } });
  rmSync(folder, { recursive: true });
  return { code: ran.status, line: ran.stdout, errors: ran.stderr };
}

const flakyReport = (flaky: number): unknown => ({
  success: true,
  testResults: [
    {
      status: 'passed',
      assertionResults: Array.from({ length: flaky }, (_, at) => ({
        status: 'passed',
        fullName: `race ${at}`,
        failureMessages: ['Error: too late\n    at x.ts:1'],
      })),
    },
  ],
});

const reportOf = (success: boolean, ...states: string[]): unknown => ({
  success,
  testResults: [
    { status: success ? 'passed' : 'failed', assertionResults: states.map((status) => ({ status, fullName: 'it' })) },
  ],
});

describe('the test counter', () => {
  it.each([
    ['passes when all passed', reportOf(true, 'passed', 'passed'), 'true', 0, '2 passed, 0 failed, 0 skipped\n'],
    ['fails when one failed', reportOf(false, 'passed', 'failed'), '', 1, '1 passed, 1 failed, 0 skipped\n'],
    [
      'lets a skipped test be on a developer’s machine',
      reportOf(true, 'passed', 'skipped'),
      '',
      0,
      '1 passed, 0 failed, 1 skipped\n',
    ],
    [
      'fails on a skipped test in CI',
      reportOf(true, 'passed', 'pending'),
      'true',
      1,
      '1 passed, 0 failed, 1 skipped\n',
    ],
    ['counts a file that broke before its first test', reportOf(false), '', 1, '0 passed, 1 failed, 0 skipped\n'],
    ['fails when no test ran', { success: true, testResults: [] }, '', 1, '0 passed, 0 failed, 0 skipped\n'],
    ['fails when there is no report', null, '', 1, '0 passed, 0 failed, 0 skipped\n'],
  ])('%s', (_title, report, ci, code, line) => {
    expect(count(report, ci)).toMatchObject({ code, line });
  });

  it('names a test that passed only on its second try', () => {
    const { code, line, errors } = count(flakyReport(1), 'true');
    expect({ code, line }).toEqual({ code: 0, line: '1 passed, 0 failed, 0 skipped\n' });
    expect(errors).toBe('flaky, passed only on its second try: race 0\n  Error: too late\n');
  });

  it('fails when more than five tests are flaky', () => {
    expect(count(flakyReport(5), '').code).toBe(0);
    expect(count(flakyReport(6), '').code).toBe(1);
  });
});
