import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { attemptRunner, codingAgents } from '../../../src/agents/index.js';
import { givenControl, givenFolder, givenSpec, isRunning, put, readLog, sh } from './given.js';

const run = attemptRunner({ agents: codingAgents });
const done = sh('echo STATUS: done');

describe('the checks of an attempt', () => {
  it.each<[string, NonNullable<Parameters<typeof givenSpec>[0]>, string, boolean]>([
    ['no test ran', {}, 'TAP version 14\\n1..0\\n', false],
    ['all tests were skipped', {}, 'TAP version 14\\nok 1 - a # SKIP\\n1..1\\n', false],
    [
      'the project allows none',
      { tests: { run: '', format: 'tap', allowNone: true } },
      'TAP version 14\\n1..0\\n',
      true,
    ],
    ['the step wants red tests, which is for others to judge', { red: true }, 'TAP version 14\\n1..0\\n', true],
    ['nothing is counted', {}, 'all well', true],
  ])(
    'fail a test command that ran no test, unless none is required or counted: %s',
    async (_what, patch, printed, ok) => {
      const tests = { format: 'tap', ...patch.tests, run: `printf "${printed}"` };
      const { checks } = await run(givenSpec({ executor: done, ...patch, tests }), givenControl());
      expect(checks[0]).toMatchObject({ name: 'tests', exit: 0, ok });
    },
  );

  it('run in the working directory, tests before the check command, and are logged', async () => {
    const spec = givenSpec({
      executor: done,
      tests: { run: 'printf "TAP version 14\\nok 1 - a\\nnot ok 2 - b\\n1..2\\n"; exit 1', format: 'tap' },
      check: 'pwd; echo "$BOSUN_STEP"',
    });
    const control = givenControl();
    const { checks } = await run(spec, control);
    expect(checks).toEqual([
      {
        name: 'tests',
        command: spec.tests?.run,
        ok: false,
        exit: 1,
        timedOut: false,
        tests: { pass: 1, fail: 1, skip: 0, failing: ['b'] },
        tail: expect.stringContaining('not ok 2 - b'),
      },
      {
        name: 'check',
        command: spec.check,
        ok: true,
        exit: 0,
        timedOut: false,
        tests: null,
        tail: `${spec.workdir}\nimpl`,
      },
    ]);
    expect(control.seen.filter((progress) => progress.type === 'phase').map((progress) => progress.phase)).toEqual([
      'agent',
      'tests',
      'check',
    ]);
    expect(
      readLog(spec)
        .filter((line) => line.s === 'sys')
        .map((line) => line.line),
    ).toEqual([`$ ${spec.tests?.run}`, `$ ${spec.check}`]);
  });

  it('fail if a test failed, despite exit code 0', async () => {
    const spec = givenSpec({
      executor: done,
      tests: { run: 'echo "1 failed, 3 passed in 0.1s" || true', format: 'pytest' },
    });
    expect((await run(spec, givenControl())).checks).toMatchObject([
      { ok: false, exit: 0, tests: { pass: 3, fail: 1 } },
    ]);
  });

  it('have no test counts if the tests could not run', async () => {
    const spec = givenSpec({
      executor: done,
      red: true,
      tests: { run: 'echo "error: does not compile" >&2; exit 2', format: 'auto' },
    });
    expect((await run(spec, givenControl())).checks).toMatchObject([
      { ok: false, exit: 2, tests: null, tail: 'error: does not compile' },
    ]);
  });

  it('name failing tests that the runner prints on the other stream', async () => {
    const spec = givenSpec({
      executor: done,
      tests: {
        run: 'echo " Tests  1 failed | 2 passed (3)"; echo " FAIL  a.test.ts > cart > adds" >&2; exit 1',
        format: 'vitest',
      },
    });
    expect((await run(spec, givenControl())).checks[0]?.tests).toEqual({
      pass: 2,
      fail: 1,
      skip: 0,
      failing: ['a.test.ts > cart > adds'],
    });
  });

  it('are killed with their children at their own time limit if they hang', async () => {
    const pidFile = join(givenFolder(), 'pid');
    const spec = givenSpec({
      executor: done,
      checkTimeoutMs: 300,
      tests: { run: `(trap '' TERM; sleep 60) & echo $! > ${pidFile}; sleep 60`, format: 'auto' },
      check: 'true',
    });
    const { checks, killed } = await run(spec, givenControl());
    expect(killed).toBeNull();
    expect(checks).toMatchObject([
      { name: 'tests', ok: false, exit: null, timedOut: true },
      { name: 'check', ok: true },
    ]);
    const { readFileSync } = await import('node:fs');
    expect(isRunning(Number(readFileSync(pidFile, 'utf8')))).toBe(false);
  });

  it('see no secret, not even the executor’s environment', async () => {
    const spec = givenSpec({
      executor: { kind: 'command', run: ['true'], env: { API_KEY: 'secret' }, passEnv: ['OTHER'] },
      check: 'env',
    });
    const { checks } = await attemptRunner({
      agents: codingAgents,
      environment: { PATH: process.env['PATH'], OTHER: 'secret' },
    })(spec, givenControl());
    expect(checks[0]?.tail).toContain('BOSUN_STEP=impl');
    expect(checks[0]?.tail).not.toContain('secret');
  });

  it.each<[string, string, boolean]>([
    ['after exit 0 without a report', 'true', true],
    ['after a claimed failure', 'echo STATUS: failing; exit 1', true],
    ['after a bad exit with a result file', 'echo "status: failing" > "$BOSUN_RESULT_FILE"; exit 1', true],
    ['after a bad exit with a hand-off', 'echo "NEEDS CLARIFICATION" > "$BOSUN_HANDOFF_FILE"; exit 1', true],
    ['after a bare crash', 'echo oops; exit 1', false],
  ])('run unless the agent crashed without a report: %s', async (_title, line, isGathered) => {
    const spec = givenSpec({ executor: sh(line), check: 'touch ran' });
    expect((await run(spec, givenControl())).checks).toHaveLength(isGathered ? 1 : 0);
    expect(existsSync(join(spec.workdir, 'ran'))).toBe(isGathered);
  });

  it('are the whole result of a node without an agent', async () => {
    const spec = givenSpec({ kind: 'check', check: 'echo fine', tests: { run: 'exit 1', format: 'exit' } });
    put(spec.workdir, '.ai/HANDOFF.md', '---\nstatus: pass\n---\n');
    const envelope = await run(spec, givenControl());
    expect(envelope).toMatchObject({ exit: 0, killed: null, fault: null, handoff: null, result: null });
    expect(envelope.output.isEmpty).toBe(true);
    expect(envelope.checks).toMatchObject([
      { name: 'tests', ok: false },
      { name: 'check', ok: true, tail: 'fine' },
    ]);
  });

  it('are empty if no command is set', async () => {
    const spec = givenSpec({ executor: done, tests: { run: ' ', format: 'auto' } });
    expect((await run(spec, givenControl())).checks).toEqual([]);
  });
});
