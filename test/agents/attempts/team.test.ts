import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { attemptRunner, codingAgents, parseHandoff } from '../../../src/agents/index.js';
import type { AttemptSpec, TeamMember } from '../../../src/jobs/attempt-spec.js';
import { command, givenControl, givenFolder, givenSpec, isRunning, put, readLog, sh } from './given.js';

const run = attemptRunner({ agents: codingAgents });

interface Part {
  readonly line: string;
  readonly writes?: readonly string[];
  readonly turn?: number;
}

/** Members whose prompts are the shell lines that they run. */
function givenTeam(parts: Readonly<Record<string, Part | string>>, changes: Partial<AttemptSpec> = {}): AttemptSpec {
  const team = Object.entries(parts).map(([role, part]): TeamMember => {
    const { line, writes = [], turn = 0 } = typeof part === 'string' ? { line: part } : part;
    return { role, prompt: line, writes, turn };
  });
  return givenSpec({ executor: command('sh', '-s'), team, ...changes });
}

const report = (status: string, more = '') =>
  `printf -- '---\\nstatus: ${status}\\n${more}---\\nNotes of %s.\\n' "$BOSUN_ROLE" > "$BOSUN_HANDOFF_FILE"`;
const done = 'echo STATUS: done';
const waitFor = (file: string) => `until [ -e ${file} ]; do sleep 0.02; done`;
/** What became of a member is on record only when nothing of it runs any more. */
const waitForEnd = (role: string) =>
  `until grep -q '"event":"task_done".*"role":"${role}"' logs/US-001/step-003.jsonl; do sleep 0.02; done`;

describe('the members of a team', () => {
  it('run in parallel, each with its own prompt, name, report files and log', async () => {
    // Each waits for the other: one after the other they would never end.
    const spec = givenTeam({
      backend: `touch b; ${waitFor('f')}; echo "$BOSUN_ROLE $BOSUN_TASK"; ${report('pass', 'summary: the API\\n')}`,
      frontend: `touch f; ${waitFor('b')}; printf 'status: pass\\nsummary: the page\\n' > "$BOSUN_RESULT_FILE"`,
    });
    const control = givenControl();
    const envelope = await run(spec, control);
    expect(envelope).toMatchObject({
      exit: 0,
      killed: null,
      fault: null,
      result: null,
      warnings: [],
      handoff: { front: { status: 'pass', reason: null, summary: 'backend: the API\nfrontend: the page' } },
      team: [
        { role: 'backend', exit: 0, status: 'pass', summary: 'the API', filesChanged: [], conflicts: [] },
        { role: 'frontend', exit: 0, status: 'pass', summary: 'the page', filesChanged: [], conflicts: [] },
      ],
    });
    const own = join(spec.sharedDir, 'team', spec.attempt);
    expect(existsSync(join(own, 'backend', 'HANDOFF.md'))).toBe(true);
    expect(existsSync(join(own, 'frontend', 'executor-result'))).toBe(true);
    const log = { ...spec, logPath: spec.logPath.replace('.jsonl', '.backend.jsonl') };
    expect(readLog(log).map((line) => line.line)).toEqual([`backend ${spec.attempt}.backend`]);
    expect(control.seen.filter((progress) => progress.type !== 'output').map((progress) => progress.type)).toEqual([
      'phase',
      'started',
    ]);
    expect(control.seen).toContainEqual({ type: 'output', line: `[backend] backend ${spec.attempt}.backend` });
  });

  it('keep running when one ends early, and each is killed with its children', async () => {
    const spec = givenTeam({
      early: `sleep 60 & echo "EARLY: $!"; ${done}`,
      late: `sleep 60 & child=$!; ${waitForEnd('early')}; kill -0 $child && echo ALIVE: yes; echo "LATE: $child"; ${done}`,
    });
    const { output, exit } = await run(spec, givenControl());
    expect(exit).toBe(0);
    expect(output.keys).toMatchObject({ ALIVE: 'yes' });
    expect(isRunning(Number(output.keys['EARLY']))).toBe(false);
    expect(isRunning(Number(output.keys['LATE']))).toBe(false);
  });

  it('leave no process with the attempt’s token behind', async () => {
    const spec = givenTeam({ one: `env -u BOSUN_TASK setsid sleep 60 & sleep 0.2; echo "CHILD: $!"; ${done}` });
    const { output } = await run(spec, givenControl());
    expect(isRunning(Number(output.keys['CHILD']))).toBe(false);
  });

  it('take turns in order', async () => {
    const spec = givenTeam({
      second: { line: `cat order; echo second >> order; ${done}`, turn: 1 },
      first: { line: `echo first >> order; ${done}`, turn: 0 },
    });
    expect((await run(spec, givenControl())).handoff?.front?.status).toBe('pass');
    expect(readFileSync(join(spec.workdir, 'order'), 'utf8')).toBe('first\nsecond\n');
  });

  it('of the same turn are stopped when one fails, and no later turn starts', async () => {
    const spec = givenTeam({
      bad: `${report('failing', 'reason: scope_warning\\nsummary: too big\\n')}`,
      good: `${waitForEnd('bad')}; touch good; ${done}`,
      later: { line: 'touch later', turn: 1 },
    });
    const envelope = await run(spec, givenControl());
    expect(envelope.handoff?.front).toMatchObject({
      status: 'failing',
      reason: 'scope_warning',
      summary: 'bad: too big',
    });
    expect(envelope.team).toMatchObject([
      { role: 'bad', exit: 0, status: 'failing', reason: 'scope_warning' },
      { role: 'good', exit: 0, status: 'done' },
      { role: 'later', exit: null, status: null, summary: 'it did not get its turn' },
    ]);
    expect(existsSync(join(spec.workdir, 'good'))).toBe(true);
    expect(existsSync(join(spec.workdir, 'later'))).toBe(false);
  });

  it('do not see reports of an earlier delivery of the same attempt', async () => {
    const spec = givenTeam({ one: `test ! -e "$BOSUN_RESULT_FILE" && ${done}` });
    put(spec.sharedDir, `team/${spec.attempt}/one/executor-result`, 'status: failing\n');
    expect((await run(spec, givenControl())).handoff?.front?.status).toBe('pass');
  });

  it('have separate folders with safe names for any role name', async () => {
    const spec = givenTeam({ '../../up': `printf 'status: pass\\n' > "$BOSUN_RESULT_FILE"` });
    expect((await run(spec, givenControl())).team).toMatchObject([{ role: '../../up', status: 'pass' }]);
    expect(existsSync(join(spec.sharedDir, 'team', spec.attempt, '--..-up', 'executor-result'))).toBe(true);
  });

  it('are optional: an empty team runs a single executor', async () => {
    expect(await run(givenSpec({ executor: sh(done), team: [] }), givenControl())).toMatchObject({
      output: { keys: { STATUS: 'done' } },
      team: [],
    });
  });
});

describe('the report of a team', () => {
  const ok = report('pass');
  it.each<[string, string, string, string | null, RegExp]>([
    ['has only notes', `echo '# Done' > "$BOSUN_HANDOFF_FILE"`, 'pass', null, /^$/],
    ['prints that it is done', 'echo STATUS: done', 'pass', null, /^$/],
    ['says nothing', 'true', 'failing', null, /^two: it wrote no report$/],
    ['ends badly and says nothing', 'exit 3', 'failing', null, /^two: it exited with 3 and wrote no report$/],
    ['ends badly and claims a pass', `${ok}; exit 3`, 'failing', null, /^two: it exited with 3, but says: /],
    ['reports an unknown status', report('splendid'), 'failing', null, /^two: its status is "splendid"$/],
    ['names no status', report('null'), 'failing', null, /^two: its status is "missing"$/],
    [
      'fails with a reason',
      report('failing', 'reason: nfr_missing\\n'),
      'failing',
      'nfr_missing',
      /^two: nfr_missing$/,
    ],
    ['prints why', 'printf "STATUS: failing\\nREASON: r\\nSUMMARY: why\\n"', 'failing', 'r', /^two: why$/],
    ['asks', report('needs_human', 'summary: which tax?\\n'), 'needs_human', null, /^two: which tax\?$/],
    [
      'leaves a mark in its notes',
      `echo 'NEEDS CLARIFICATION: tax' > "$BOSUN_HANDOFF_FILE"`,
      'failing',
      'needs_clarification',
      /^two: needs_clarification$/,
    ],
    [
      'says one thing in its result and another in its hand-off',
      `${ok}; printf 'status: failing\\nsummary: no\\n' > "$BOSUN_RESULT_FILE"`,
      'failing',
      null,
      /^two: no$/,
    ],
    [
      'writes the state of the whole step',
      `printf '{"story":"US-001","step":"impl","status":"pass"}' > .ai/STATE.json`,
      'failing',
      null,
      /^two: it wrote no report$/,
    ],
    ['names another step', report('pass', 'step: verify\\n'), 'failing', null, /^two: it wrote no report$/],
  ])('combines one passing member with one that %s', async (_what, line, status, reason, summary) => {
    const { handoff } = await run(givenTeam({ one: ok, two: line }), givenControl());
    expect(handoff?.front).toMatchObject({ status, reason });
    expect(handoff?.front?.summary ?? '').toMatch(summary);
  });

  it('puts a question before a failure, and names both', async () => {
    const spec = givenTeam({
      bad: report('failing', 'reason: nfr_missing\\nsummary: no\\n'),
      unsure: report('needs_human', 'summary: which?\\n'),
    });
    expect((await run(spec, givenControl())).handoff?.front).toMatchObject({
      status: 'needs_human',
      reason: null,
      summary: 'unsure: which?\nbad: no',
    });
  });

  it.each([
    ['0 when all do', 'exit 0', 'exit 0', 0],
    ['that of the one without a word', `${report('failing')}; exit 4`, 'exit 5', 5],
    ['the first bad one when all speak', `${report('failing')}; exit 4`, `${report('failing')}; exit 5`, 4],
  ])('has one exit code: %s', async (_what, one, two, exit) => {
    expect((await run(givenTeam({ one, two }), givenControl())).exit).toBe(exit);
  });

  it('is one hand-off with progress, conflicts and notes, stored for the next session', async () => {
    const spec = givenTeam({
      backend: report(
        'pass',
        'summary: the API\\nfiles_changed: [a.go]\\ntests_pass: 2\\nreview_digest: totals\\nquestions: [why]\\n',
      ),
      frontend: report('pass', 'files_changed: [b.ts, a.go]\\ntests_pass: 3\\ntests_fail: 1\\n'),
    });
    put(spec.workdir, '.ai/HANDOFF.md', 'of an earlier session\n');
    const { handoff } = await run(spec, givenControl());
    expect(handoff?.front).toEqual({
      status: 'pass',
      reason: null,
      summary: 'backend: the API',
      filesChanged: ['a.go', 'b.ts'],
      tests: { pass: 3, fail: 1, skip: 0 },
      reviewDigest: 'backend: totals',
      questions: ['backend: why'],
    });
    const written = parseHandoff(readFileSync(join(spec.workdir, '.ai', 'HANDOFF.md'), 'utf8'));
    expect(written).toEqual({
      identity: { story: 'US-001', item: null, step: 'impl', attempt: '2', token: null },
      handoff,
      warning: null,
    });
    expect(handoff?.body).toBe(
      [
        '# Team hand-off',
        '## Progress',
        '### backend: pass\n\nthe API',
        '### frontend: pass',
        '## Conflicts',
        '- backend: a.go\n- frontend: a.go',
        '## Notes for the next session',
        '### backend\n\nNotes of backend.',
        '### frontend\n\nNotes of frontend.',
      ].join('\n\n'),
    );
  });

  it('keeps a hand-off written for the whole team, but not its status', async () => {
    const text = '---\\nstatus: pass\\n---\\nFor all.\\n';
    const spec = givenTeam({
      one: `printf -- '${text}' > .ai/HANDOFF.md; echo 'status: pass' > .ai/executor-result; ${done}`,
      two: report('failing', 'summary: no\\n'),
    });
    const envelope = await run(spec, givenControl());
    expect(envelope.handoff).toMatchObject({ front: { status: 'failing', summary: 'two: no' }, body: 'For all.' });
    expect(envelope.result).toBeNull();
    expect(envelope.warnings).toEqual([
      expect.stringMatching(/ignored a result that one member wrote for the whole team/),
    ]);
    expect(readFileSync(join(spec.workdir, '.ai', 'HANDOFF.md'), 'utf8')).toMatch(/For all/);
  });

  it('is never written into a folder owned by another user', async () => {
    const foreign = givenFolder();
    const spec = givenTeam({ one: done }, { sharedDir: givenFolder() });
    rmSync(join(spec.workdir, '.ai'), { recursive: true, force: true });
    symlinkSync(foreign, join(spec.workdir, '.ai'));
    const envelope = await run(spec, givenControl());
    expect(envelope.warnings).toEqual([expect.stringMatching(/Bosun did not write the team's hand-off/)]);
    expect(existsSync(join(foreign, 'HANDOFF.md'))).toBe(false);
  });

  it('that cannot be written is a warning', async () => {
    const spec = givenTeam({ one: `rm -rf .ai/HANDOFF.md; mkdir .ai/HANDOFF.md; ${done}` });
    expect((await run(spec, givenControl())).warnings.join()).toMatch(/cannot write the team's hand-off/);
  });

  it('has the members’ output without their own status', async () => {
    const spec = givenTeam({
      one: `printf 'SAME: x\\nOTHER: 1\\nSTATUS: done\\nSUMMARY: mine\\n'`,
      two: { line: `printf 'SAME: x\\nOTHER: 2\\nSTATUS: done\\nSTORIES_JSON: []\\n'`, turn: 1 },
    });
    expect((await run(spec, givenControl())).output).toEqual({
      isEmpty: false,
      keys: { SAME: 'x', OTHER: '1\n2', SUMMARY: 'mine' },
      stories: '[]',
      summary: 'one: mine',
      tail: '[one]\nSAME: x\nOTHER: 1\nSTATUS: done\nSUMMARY: mine\n[two]\nSAME: x\nOTHER: 2\nSTATUS: done\nSTORIES_JSON: []',
    });
  });
});

describe('a file reported by a team', () => {
  it('is in conflict if two members report it, or if it matches another role’s more specific pattern', async () => {
    const spec = givenTeam({
      backend: { line: report('pass', 'files_changed: [a.go, ./a_test.go, both.md]\\n'), writes: ['*.go'] },
      test: { line: report('pass', 'files_changed: [docs/../both.md, b_test.go, free.md]\\n'), writes: ['*_test.go'] },
    });
    const envelope = await run(spec, givenControl());
    expect(envelope.team).toMatchObject([
      { filesChanged: ['a.go', 'a_test.go', 'both.md'], conflicts: ['a_test.go', 'both.md'] },
      { filesChanged: ['both.md', 'b_test.go', 'free.md'], conflicts: ['both.md'] },
    ]);
    expect(envelope.handoff?.front?.status).toBe('pass');
    expect(envelope.warnings).toEqual([
      expect.stringMatching(/^backend .*: a_test.go, both.md$/),
      expect.stringMatching(/^test .*: both.md$/),
    ]);
  });

  it('is relative to the working directory', async () => {
    const folder = givenFolder();
    const line = report('pass', `files_changed: ["${folder}/src/a.go"]\\n`);
    const { team } = await run(givenTeam({ one: line }, { root: folder }), givenControl());
    expect(team[0]?.filesChanged).toEqual(['src/a.go']);
  });
});

describe('the log of a team', () => {
  it('records assignments, results, blockers and conflicts', async () => {
    const bad = report('failing', 'reason: nfr_missing\\nsummary: no\\nfiles_changed: [x]\\n');
    const good = report('pass', 'files_changed: [x]\\n');
    const spec = givenTeam({
      bad: { line: bad, writes: ['*.go'] },
      good: { line: `${waitForEnd('bad')}; ${good}` },
    });
    await run(spec, givenControl());
    const records = readLog(spec).filter((line) => line.s === 'team');
    const [one, two] = [
      { task_id: `${spec.attempt}.bad`, role: 'bad' },
      { task_id: `${spec.attempt}.good`, role: 'good' },
    ];
    expect(records).toMatchObject([
      { event: 'task_assigned', ...one, scoped_context: ['*.go'], instruction: bad, line: 'bad: task_assigned' },
      { event: 'task_assigned', ...two, scoped_context: [] },
      { event: 'blocker', ...one, reason: 'nfr_missing', description: 'no' },
      { event: 'task_done', ...one, status: 'failing', files_changed: ['x'], summary: 'no' },
      { event: 'task_done', ...two, status: 'pass', files_changed: ['x'], summary: null },
      { event: 'conflict', ...one, files: ['x'], description: expect.any(String) },
      { event: 'conflict', ...two, files: ['x'] },
    ]);
  });
});

describe('a team', () => {
  it('is checked once, after all members', async () => {
    const spec = givenTeam(
      { one: `echo 1 >> n; ${done}`, two: { line: `echo 2 >> n; ${done}`, turn: 1 } },
      { check: 'cat n; echo x >> checked' },
    );
    const { checks } = await run(spec, givenControl());
    expect(checks).toMatchObject([{ name: 'check', ok: true, tail: '1\n2' }]);
    expect(readFileSync(join(spec.workdir, 'checked'), 'utf8')).toBe('x\n');
  });

  it('has one time limit for all turns', async () => {
    const spec = givenTeam(
      { one: `sleep 1.2; ${done}`, two: { line: 'sleep 60', turn: 1 }, three: { line: 'touch three', turn: 2 } },
      { timeoutMs: 2000, check: 'touch checked' },
    );
    const envelope = await run(spec, givenControl());
    expect(envelope).toMatchObject({ killed: 'timeout', exit: null, checks: [] });
    expect(envelope.durationMs).toBeLessThan(2000 + 1100);
    expect(envelope.handoff?.front?.summary).toBe('two: it ran out of time');
    expect(existsSync(join(spec.workdir, 'checked'))).toBe(false);
    expect(existsSync(join(spec.workdir, 'three'))).toBe(false);
  });

  it('gets more time for current and later turns, after a single announcement', async () => {
    const control = givenControl((progress, self) => {
      if (progress.type === 'expiring') self.extend(20_000);
    });
    const busy = 'for i in 1 2 3 4 5 6 7 8 9; do echo busy; sleep 0.1; done';
    const spec = givenTeam(
      { one: `${busy}; ${done}`, two: `${busy}; ${done}`, three: { line: `sleep 0.3; ${done}`, turn: 1 } },
      { timeoutMs: 600 },
    );
    expect(await run(spec, control)).toMatchObject({ killed: null, handoff: { front: { status: 'pass' } } });
    expect(control.seen.filter((progress) => progress.type === 'expiring')).toHaveLength(1);
  });

  it.each(['cancel', 'interrupted'] as const)('is stopped as a whole by %s', async (reason) => {
    const control = givenControl((progress, self) => {
      if (progress.type === 'output' && progress.line === '[two] up') self.abort(reason);
    });
    const spec = givenTeam({ one: 'sleep 60', two: 'echo up; sleep 60', three: { line: 'touch three', turn: 1 } });
    const envelope = await run(spec, control);
    expect(envelope).toMatchObject({ killed: reason, exit: null, edits: null });
    expect(envelope.handoff?.front?.summary).toBe('one: it was stopped\ntwo: it was stopped');
    expect(existsSync(join(spec.workdir, 'three'))).toBe(false);
  });

  it('with a missing program is a fault that names the role', async () => {
    const spec = givenTeam({ one: '' }, { executor: command('no-such-agent-here') });
    expect((await run(spec, givenControl())).fault).toMatchObject({
      code: 'executor_missing',
      message: expect.stringMatching(/^one: .*no-such-agent-here/),
    });
  });

  it('returns the edits and scratch notes of all members', async () => {
    const spec = givenTeam({
      one: `echo '[]' > "$BOSUN_EDITS_FILE"; echo fact >> "$BOSUN_SCRATCH_FILE"; ${done}`,
      two: { line: `echo more >> "$BOSUN_SCRATCH_FILE"; ${done}`, turn: 1 },
    });
    expect(await run(spec, givenControl())).toMatchObject({
      edits: { ok: true, ops: [] },
      scratch: { run: 'fact\nmore', item: '' },
    });
  });
});
