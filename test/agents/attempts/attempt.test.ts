import { chmodSync, existsSync, linkSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { attemptRunner, codingAgents, endProcessesOf } from '../../../src/agents/index.js';
import { command, givenControl, givenFolder, givenSpec, isRunning, node, put, readLog, sh } from './given.js';

const run = attemptRunner({ agents: codingAgents });

describe('the cost of an agent', () => {
  it.each([
    ['unknown where a command ran', sh('true'), true],
    ['nothing where no program could be started', command('/nowhere/agent'), undefined],
    ['nothing in a check', null, undefined],
  ])('is %s', async (_what, executor, isUnpriced) => {
    const spec = executor === null ? { ...givenSpec({}), kind: 'check' as const, executor } : givenSpec({ executor });
    expect((await run(spec, givenControl())).isUnpriced).toBe(isUnpriced);
  });
});

describe('an agent', () => {
  it('gets the whole prompt on standard input, then end of file', async () => {
    const prompt = `${'a line of the prompt\n'.repeat(50_000)}end`;
    const spec = givenSpec({
      prompt,
      executor: node(`
      const text = require('node:fs').readFileSync(0, 'utf8');
      console.log('SIZE: ' + text.length); console.log('LAST: ' + text.slice(-3));`),
    });
    const envelope = await run(spec, givenControl());
    expect(envelope.exit).toBe(0);
    expect(envelope.output.keys).toEqual({ SIZE: String(prompt.length), LAST: 'end' });
  });

  it('may leave its prompt unread', async () => {
    const spec = givenSpec({ prompt: 'x'.repeat(1_000_000), executor: sh('exec 0<&-; echo STATUS: done') });
    expect(await run(spec, givenControl())).toMatchObject({
      exit: 0,
      fault: null,
      output: { keys: { STATUS: 'done' } },
    });
  });

  it('gets its attempt’s variables and the allowed environment, but no secret of the service', async () => {
    const parent = {
      PATH: process.env['PATH'],
      HOME: '/home/ada',
      LC_ALL: 'C',
      XDG_CACHE_HOME: '/c',
      HTTPS_PROXY: 'p',
      no_proxy: 'q',
      TELEGRAM_BOT_TOKEN: 'secret',
      NODE_OPTIONS: '--bad',
      MY_KEY: 'mine',
      BOSUN_TOKEN: 'another',
    };
    const spec = givenSpec({
      keepsProgress: true,
      slot: 2,
      executor: {
        kind: 'command',
        run: ['env'],
        env: { MODEL: 'sonnet', BOSUN_RUN: 'forged' },
        passEnv: ['MY_KEY', 'ABSENT'],
      },
    });
    const { output } = await attemptRunner({ agents: codingAgents, environment: parent })(spec, givenControl());
    const lines = readLog(spec).map((line) => line.line);
    const known = Object.fromEntries(lines.map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]));
    expect(output.isEmpty).toBe(false);
    expect(known).toEqual({
      PATH: process.env['PATH'],
      HOME: '/home/ada',
      LC_ALL: 'C',
      XDG_CACHE_HOME: '/c',
      HTTPS_PROXY: 'p',
      no_proxy: 'q',
      MODEL: 'sonnet',
      MY_KEY: 'mine',
      BOSUN_PROJECT: 'shop',
      BOSUN_RUN: 'r1',
      BOSUN_ITEM: 'US-001',
      BOSUN_NODE: 'n3',
      BOSUN_STEP: 'impl',
      BOSUN_LABEL: 'step-003',
      BOSUN_ATTEMPT: '2',
      BOSUN_TOKEN: spec.token,
      BOSUN_ROOT: spec.root,
      BOSUN_WORKDIR: spec.workdir,
      BOSUN_SHARED_DIR: spec.sharedDir,
      BOSUN_URL: spec.url,
      BOSUN_RESULT_FILE: join(spec.workdir, '.ai', 'executor-result'),
      BOSUN_HANDOFF_FILE: join(spec.workdir, '.ai', 'HANDOFF.md'),
      BOSUN_EDITS_FILE: join(spec.sharedDir, 'workflow_edits', 'US-001.json'),
      BOSUN_SCRATCH_FILE: join(spec.sharedDir, 'scratch', `${spec.attempt}.global.append.md`),
      BOSUN_ITEM_SCRATCH_FILE: join(spec.sharedDir, 'scratch', `${spec.attempt}.append.md`),
      BOSUN_PROGRESS_FILE: join(spec.sharedDir, 'progress.txt'),
      BOSUN_SLOT: '2',
      COMPOSE_PROJECT_NAME: 'ralph_agent_2',
      RALPH_SHARED_DIR: spec.sharedDir,
    });
  });

  it('without slot, progress log and team has none of their variables, and checks see the same variables', async () => {
    const line = 'env | grep -cE "^(BOSUN_(SLOT|PROGRESS_FILE|ROLE|TASK)|COMPOSE_PROJECT_NAME|RALPH_SHARED_DIR)="';
    const spec = givenSpec({ executor: sh(`echo "COUNT: $(${line})"`), check: line });
    expect((await run(spec, givenControl())).output.keys).toEqual({ COUNT: '0' });
    const { checks } = await run({ ...spec, slot: 0 }, givenControl());
    expect(checks[0]?.tail).toBe('3');
  });

  it('finds the folders for its reports created', async () => {
    const spec = givenSpec({
      item: '',
      executor: sh('echo "[]" > "$BOSUN_EDITS_FILE" && echo x > "$BOSUN_SHARED_DIR/n"'),
    });
    expect(await run(spec, givenControl())).toMatchObject({ exit: 0, edits: { ok: true, ops: [] } });
  });

  it('is started from an argument list, never through a shell', async () => {
    const spec = givenSpec({ executor: command('printf', '%s', 'OUT: $HOME; `id` && "x"') });
    expect((await run(spec, givenControl())).output.keys).toEqual({ OUT: '$HOME; `id` && "x"' });
  });

  it('that prints nothing and exits 0 has no output', async () => {
    const envelope = await run(givenSpec({ executor: sh('exit 0') }), givenControl());
    expect(envelope).toMatchObject({ exit: 0, killed: null, fault: null, result: null, handoff: null, checks: [] });
    expect(envelope.output.isEmpty).toBe(true);
  });

  it('yields its exit code and the end of both streams, or 128 plus the signal number', async () => {
    const envelope = await run(givenSpec({ executor: sh('echo out; echo oops >&2; exit 3') }), givenControl());
    expect(envelope.exit).toBe(3);
    expect(envelope.output.tail.split('\n').sort()).toEqual(['oops', 'out']);
    expect((await run(givenSpec({ executor: sh('kill -9 $$') }), givenControl())).exit).toBe(137);
  });

  it('reports progress while it runs', async () => {
    const control = givenControl();
    await run(givenSpec({ executor: sh('echo one; echo two') }), control);
    expect(control.seen).toEqual([
      { type: 'phase', phase: 'agent' },
      { type: 'started', pid: expect.any(Number), baseSha: null },
      { type: 'output', line: 'one' },
      { type: 'output', line: 'two' },
    ]);
  });

  it.each<[string, readonly string[], string, RegExp]>([
    ['is not there', ['no-such-agent-here'], 'executor_missing', /"no-such-agent-here".*install it/],
    ['may not be run', ['./plain.txt'], 'executor_denied', /".\/plain.txt".*chmod/],
    ['has no name', [], 'executor_missing', /empty `run`/],
    ['holds a null character', ['printf', 'a\0b'], 'executor_failed', /"printf"/],
  ])('whose program %s is a fault with a hint', async (_title, argv, code, message) => {
    const spec = givenSpec({ executor: command(...argv), tests: { run: 'touch ran', format: 'exit' } });
    chmodSync(put(spec.workdir, 'plain.txt', 'no program'), 0o644);
    const envelope = await run(spec, givenControl());
    expect(envelope).toMatchObject({
      exit: null,
      fault: { code, message: expect.stringMatching(message) },
      checks: [],
    });
    expect(existsSync(join(spec.workdir, 'ran'))).toBe(false);
  });

  it('without an executor or a working directory is a fault', async () => {
    expect((await run(givenSpec(), givenControl())).fault?.code).toBe('executor_missing');
    const gone = givenSpec({ executor: sh('true'), workdir: '/nowhere/at/all' });
    expect((await run(gone, givenControl())).fault).toMatchObject({
      code: 'workdir_missing',
      message: expect.stringContaining('/nowhere/at/all'),
    });
  });

  it('with a relative program path runs the project’s program if the worktree lacks it', async () => {
    const root = givenFolder();
    chmodSync(put(root, 'agent.sh', '#!/bin/sh\necho "CWD: $(pwd)"\n'), 0o755);
    const spec = givenSpec({ root, workdir: givenFolder(), executor: command('./agent.sh') });
    expect((await run(spec, givenControl())).output.keys).toEqual({ CWD: spec.workdir });
  });
});

describe('an agent that exceeds its time limit', () => {
  it('is killed even if it prints nothing', async () => {
    const spec = givenSpec({ timeoutMs: 300, executor: sh('sleep 60'), check: 'touch ran' });
    const envelope = await run(spec, givenControl());
    expect(envelope).toMatchObject({ killed: 'timeout', exit: null, checks: [] });
    expect(envelope.durationMs).toBeGreaterThanOrEqual(295);
    expect(envelope.durationMs).toBeLessThan(2300);
    expect(existsSync(join(spec.workdir, 'ran'))).toBe(false);
  });

  it('is killed within two seconds even if it ignores SIGTERM', async () => {
    const spec = givenSpec({
      timeoutMs: 300,
      executor: sh(`trap '' TERM; echo "PID: $$"; while true; do sleep 0.1; done`),
    });
    const envelope = await run(spec, givenControl());
    expect(envelope.killed).toBe('timeout');
    expect(envelope.durationMs).toBeLessThan(300 + 2300);
    expect(isRunning(Number(envelope.output.keys['PID']))).toBe(false);
  });

  it('is killed with children in other sessions, even if they hold the pipes', async () => {
    const spec = givenSpec({ timeoutMs: 400, executor: node(forking('setInterval(() => {}, 1000)')) });
    const envelope = await run(spec, givenControl());
    expect(envelope.killed).toBe('timeout');
    expect(envelope.durationMs).toBeLessThan(400 + 2000);
    expect(isRunning(Number(envelope.output.keys['CHILD']))).toBe(false);
  });

  it('can be given more time after a single announcement', async () => {
    const control = givenControl((progress, self) => {
      if (progress.type === 'expiring') self.extend(15_000);
    });
    const spec = givenSpec({
      timeoutMs: 600,
      executor: sh('for i in 1 2 3 4 5 6 7 8 9; do echo busy; sleep 0.1; done; echo STATUS: done'),
    });
    const envelope = await run(spec, control);
    expect(envelope).toMatchObject({ killed: null, exit: 0, output: { keys: { STATUS: 'done' } } });
    expect(control.seen.filter((progress) => progress.type === 'expiring')).toHaveLength(1);
  });
});

describe('an agent that is stopped', () => {
  it.each(['cancel', 'interrupted'] as const)('by %s is killed and its envelope says so', async (reason) => {
    const control = givenControl((progress, self) => progress.type === 'output' && self.abort(reason));
    const envelope = await run(givenSpec({ executor: sh('echo up; sleep 60') }), control);
    expect(envelope).toMatchObject({ killed: reason, exit: null, checks: [] });
  });

  it('before its start never runs', async () => {
    const control = givenControl();
    control.abort('cancel');
    const spec = givenSpec({ executor: sh('touch ran') });
    expect((await run(spec, control)).killed).toBe('cancel');
    expect(existsSync(join(spec.workdir, 'ran'))).toBe(false);
  });

  it('during its checks has no checks', async () => {
    const control = givenControl(
      (progress, self) => progress.type === 'phase' && progress.phase === 'tests' && self.abort('cancel'),
    );
    const spec = givenSpec({ executor: sh('echo hi'), tests: { run: 'sleep 60', format: 'exit' }, check: 'true' });
    expect(await run(spec, control)).toMatchObject({ killed: 'cancel', checks: [] });
  });
});

describe('a process that an agent leaves behind', () => {
  it('is killed when the agent ends', async () => {
    const envelope = await run(givenSpec({ executor: node(forking('')) }), givenControl());
    expect(envelope).toMatchObject({ exit: 0, killed: null });
    expect(envelope.durationMs).toBeLessThan(3000);
    expect(isRunning(Number(envelope.output.keys['CHILD']))).toBe(false);
  });

  it('is found by its token, and no other process is killed', async () => {
    const spec = givenSpec();
    const { spawn } = await import('node:child_process');
    const start = (token: string) =>
      spawn('sleep', ['60'], { env: { ...process.env, BOSUN_TOKEN: token }, detached: true, stdio: 'ignore' });
    const ours = start(spec.token);
    const others = start(`${spec.token}0`);
    const gone = new Promise((resolve) => ours.once('exit', (_code, signal) => resolve(signal)));
    expect(await endProcessesOf([spec.token, ''])).toBe(1);
    expect(await gone).toBe('SIGKILL');
    expect(isRunning(others.pid ?? 0)).toBe(true);
    expect(await endProcessesOf([`${spec.token}0`])).toBe(1);
    expect(await endProcessesOf([])).toBe(0);
  });
});

describe('the log of an attempt', () => {
  it('has every line with time and stream, and is appended to', async () => {
    const spec = givenSpec({ executor: sh('echo one; printf two') });
    const logging = attemptRunner({ agents: codingAgents, clock: () => 42 });
    await logging(spec, givenControl());
    await logging({ ...spec, executor: sh('echo three >&2') }, givenControl());
    expect(readLog(spec)).toEqual([
      { t: 42, s: 'out', line: 'one' },
      { t: 42, s: 'out', line: 'two' },
      { t: 42, s: 'err', line: 'three' },
    ]);
  });

  it('is cut at its limit, and 200 MB of output need little memory', async () => {
    const spec = givenSpec({
      executor: sh('yes "a line that is said again and again" | head -c 200000000; echo; echo STATUS: done'),
    });
    const before = process.memoryUsage();
    let peak = 0;
    const watch = setInterval(() => {
      const now = process.memoryUsage();
      peak = Math.max(peak, now.heapUsed + now.external - before.heapUsed - before.external);
    }, 20);
    const envelope = await attemptRunner({ agents: codingAgents, logLimitBytes: 100_000 })(spec, givenControl());
    clearInterval(watch);
    expect(envelope.output.keys).toEqual({ STATUS: 'done' });
    expect(statSync(spec.logPath).size).toBeLessThan(101_000);
    expect(readLog(spec).at(-1)).toMatchObject({ s: 'sys', line: expect.stringContaining('cut') });
    expect(peak).toBeLessThan(150_000_000);
  });

  it('cuts an endless line, and does not read a key from the middle of it', async () => {
    const spec = givenSpec({
      executor: node(`process.stdout.write('x'.repeat(400000) + 'STATUS: pass' + 'y'.repeat(262144 - 12))`),
    });
    const envelope = await run(spec, givenControl());
    expect(envelope.output).toMatchObject({ isEmpty: false, keys: {} });
    expect(readLog(spec)).toHaveLength(1);
    expect(readLog(spec)[0]?.line.length).toBeLessThan(20_000);
  });

  it('reports only a sample of a flood of output', async () => {
    const control = givenControl();
    await run(givenSpec({ executor: sh('yes | head -n 100000') }), control);
    expect(control.seen.filter((progress) => progress.type === 'output').length).toBeLessThan(500);
  });

  it('that cannot be written is a warning, not a failure', async () => {
    const spec = givenSpec({ executor: sh('echo STATUS: done') });
    const blocked = { ...spec, logPath: join(put(spec.root, 'file', ''), 'step.jsonl') };
    const envelope = await run(blocked, givenControl());
    expect(envelope.exit).toBe(0);
    expect(envelope.warnings.join()).toMatch(/cannot write the log /);
  });
});

describe('a report file', () => {
  it('is read with all its fields', async () => {
    const spec = givenSpec({
      executor: sh(`
      printf '# how it went\\nstatus: failing\\nreason: scope_warning\\nsummary: too: big\\n' > "$BOSUN_RESULT_FILE"
      printf -- '---\\nstory: US-001\\nstep: impl\\nattempt: 2\\ntoken: %s\\nstatus: pass\\nfiles_changed: [a.ts]\\ntests_pass: 3\\n---\\nBody.\\n' "$BOSUN_TOKEN" > "$BOSUN_HANDOFF_FILE"`),
    });
    const envelope = await run(spec, givenControl());
    expect(envelope.result).toEqual({ status: 'failing', reason: 'scope_warning', summary: 'too: big' });
    expect(envelope.handoff).toMatchObject({
      front: { status: 'pass', filesChanged: ['a.ts'], tests: { pass: 3, fail: 0, skip: 0 } },
      body: 'Body.',
    });
    expect(envelope.warnings).toEqual([]);
  });

  it('from before is ignored: a result file is moved away, and a hand-off is kept beside', async () => {
    const spec = givenSpec({
      executor: sh('test ! -e "$BOSUN_RESULT_FILE" && test ! -e "$BOSUN_HANDOFF_FILE" && cat .ai/HANDOFF.previous.md'),
    });
    put(spec.workdir, '.ai/executor-result', 'status: pass\n');
    put(spec.workdir, '.ai/HANDOFF.md', '---\nstatus: pass\n---\n');
    const envelope = await run(spec, givenControl());
    expect(envelope).toMatchObject({
      exit: 0,
      result: null,
      handoff: null,
      warnings: [expect.stringContaining('of an earlier attempt away')],
    });
    expect(readFileSync(join(spec.sharedDir, 'stale', `${spec.attempt}-executor-result`), 'utf8')).toBe(
      'status: pass\n',
    );
  });

  it.each([
    ['a word of its own', { story: 'US-001', step: 'impl', status: 'pass', reason: null }, 'pass'],
    ["Bosun's word for what has not ended", { story: 'US-001', step: 'impl', status: 'running' }, undefined],
    ['another step', { story: 'US-001', step: 'verify', status: 'pass' }, undefined],
    ['another story', { story: 'US-002', step: 'impl', status: 'pass' }, undefined],
    ['no step', { status: 'pass' }, undefined],
  ])('can be the state file, if a hook wrote it: with %s', async (_what, state, status) => {
    const line = JSON.stringify(state);
    const spec = givenSpec({ executor: sh(`sleep 0.02; printf '%s' '${line}' > .ai/STATE.json; echo ok`) });
    put(spec.workdir, '.ai/STATE.json', JSON.stringify({ story: 'US-001', step: 'impl', status: 'running' }));
    expect((await run(spec, givenControl())).result?.status).toBe(status);
  });

  it.each([
    ['counts of its own are kept', { pass: 3, fail: 0, skip: 0 }, { pass: 3, fail: 0, skip: 0 }],
    ['counts that Bosun wrote before are not taken for its own', { pass: 1, fail: 2, skip: 0 }, null],
  ])('can have its tests in the state file, if a hook wrote it: %s', async (_what, tests, kept) => {
    const state = { story: 'US-001', step: 'impl', tests: { pass: 1, fail: 2, skip: 0 } };
    const line = JSON.stringify({ ...state, tests, status: 'pass' });
    const spec = givenSpec({ executor: sh(`sleep 0.02; printf '%s' '${line}' > .ai/STATE.json; echo ok`) });
    put(spec.workdir, '.ai/STATE.json', JSON.stringify({ ...state, status: 'running' }));
    const { result, handoff } = await run(spec, givenControl());
    expect(result?.status).toBe('pass');
    expect(handoff?.front?.tests).toEqual(kept);
  });

  it('is not the state file if it is unchanged', async () => {
    const spec = givenSpec({ executor: sh('echo ok') });
    put(spec.workdir, '.ai/STATE.json', JSON.stringify({ story: 'US-001', step: 'impl', status: 'failing' }));
    expect((await run(spec, givenControl())).result).toBeNull();
  });

  it('counts if it is rewritten with the same content', async () => {
    const spec = givenSpec({
      executor: sh(`sleep 0.02; printf -- '---\\nstatus: pass\\n---\\n' > "$BOSUN_HANDOFF_FILE"`),
    });
    put(spec.workdir, '.ai/HANDOFF.md', '---\nstatus: pass\n---\n');
    expect((await run(spec, givenControl())).handoff?.front?.status).toBe('pass');
  });

  it.each([
    ['story: US-002', /story "US-002"/],
    ['step: verify', /step "verify"/],
    ['attempt: 1', /attempt "1"/],
    ['token: abc', /the token of another attempt/],
  ])('that names %s is stale', async (line, warning) => {
    const spec = givenSpec({
      executor: sh(`
      printf '${line}\\nstatus: pass\\n' > "$BOSUN_RESULT_FILE"
      printf -- '---\\n${line}\\nstatus: pass\\n---\\n' > "$BOSUN_HANDOFF_FILE"`),
    });
    const envelope = await run(spec, givenControl());
    expect(envelope).toMatchObject({ result: null, handoff: null });
    expect(envelope.warnings).toEqual([expect.stringMatching(warning), expect.stringMatching(warning)]);
    expect(envelope.warnings.join()).not.toContain('abc');
  });

  it.each([
    ['a link that leads outside', 'ln -s "$OUTSIDE" "$F"', /leads outside/],
    ['a link that leads nowhere', 'ln -s /nowhere/at/all "$F"', /cannot read /],
    ['a folder', 'mkdir "$F"', /not a regular file/],
    ['a pipe', 'mkfifo "$F"', /not a regular file/],
    ['a giant', 'head -c 300000 /dev/zero > "$F"', /the limit is 262144/],
  ])('that is %s is ignored with a warning', async (_title, line, warning) => {
    const outside = put(givenFolder(), 'result', 'status: pass\n');
    for (const file of ['BOSUN_RESULT_FILE', 'BOSUN_HANDOFF_FILE']) {
      const spec = givenSpec({ executor: sh(`OUTSIDE=${outside}; F="$${file}"; ${line}`) });
      const envelope = await run(spec, givenControl());
      expect(envelope).toMatchObject({
        exit: 0,
        result: null,
        handoff: null,
        warnings: [expect.stringMatching(warning)],
      });
    }
  });

  it('is never moved out of a folder owned by another user', async () => {
    const foreign = givenFolder();
    put(foreign, 'executor-result', 'status: pass\n');
    const spec = givenSpec({ sharedDir: givenFolder(), executor: sh('true') });
    rmSync(join(spec.workdir, '.ai'), { recursive: true, force: true });
    symlinkSync(foreign, join(spec.workdir, '.ai'));
    const envelope = await run(spec, givenControl());
    expect(envelope.result).toBeNull();
    expect(existsSync(join(foreign, 'executor-result'))).toBe(true);
  });

  it('may name a story by the number that YAML reads it as', async () => {
    const spec = givenSpec({
      item: '007',
      executor: sh(`printf -- '---\\nstory: 007\\nstatus: pass\\n---\\n' > "$BOSUN_HANDOFF_FILE"`),
    });
    expect((await run(spec, givenControl())).handoff?.front?.status).toBe('pass');
  });

  it('outside a story is not compared with one', async () => {
    const spec = givenSpec({
      item: '',
      executor: sh(`printf 'story: US-009\\nstatus: pass\\n' > "$BOSUN_RESULT_FILE"`),
    });
    expect((await run(spec, givenControl())).result?.status).toBe('pass');
  });
});

/** A program that starts a child in a session of its own, with its pipes, and then does `rest`. */
function forking(rest: string): string {
  return `
    const child = require('node:child_process').spawn('sleep', ['60'], { detached: true, stdio: 'inherit' });
    child.unref();
    console.log('CHILD: ' + child.pid);
    ${rest}`;
}

describe('a link planted by an agent', () => {
  const shared = ['.ai', '.ai/runs', '.ai/runs/r1'];
  const log = '.ai/runs/r1/logs/US-001/step-003.jsonl';

  it.each([
    ...[...shared, '.ai/runs/r1/logs', '.ai/runs/r1/logs/US-001', log].map((at) => [at, 'symbolic'] as const),
    [log, 'hard'] as const,
    [log, 'dangling'] as const,
    ...['.ai/runs/r1/scratch', '.ai/runs/r1/progress.txt', '.ai/runs/r1/stale'].map((at) => [at, 'symbolic'] as const),
    ...['.ai/executor-result', '.ai/HANDOFF.md', 'workflow_edits/US-001.json'].map((at) => [at, 'symbolic'] as const),
  ])('at %s is not written through (%s link)', async (at, kind) => {
    const victims = givenFolder();
    put(victims, 'bashrc', 'precious');
    put(victims, 'logs/US-001/step-003.jsonl', 'precious');
    const root = givenFolder();
    const isFile = /\.\w+$/.test(at.replace(/^\.ai/, ''));
    const target = isFile ? join(victims, 'bashrc') : victims;
    put(root, `${at}/..gone`, '');
    rmSync(join(root, at), { recursive: true });
    if (kind === 'hard') linkSync(target, join(root, at));
    else symlinkSync(kind === 'dangling' ? join(victims, 'not-there') : target, join(root, at));
    const spec = givenSpec({ root, logPath: join(root, log), keepsProgress: true, executor: sh('echo evil line') });
    const before = treeOf(victims);
    const envelope = await run(spec, givenControl()).catch((error: unknown) => error);
    expect(treeOf(victims)).toEqual(before);
    if (at.includes('logs')) expect(envelope).toMatchObject({ warnings: [expect.stringContaining('is a link')] });
  });
});

function treeOf(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return names.map(
    (name) => `${name} ${statSync(join(folder, name)).isFile() ? readFileSync(join(folder, name)) : ''}`,
  );
}
