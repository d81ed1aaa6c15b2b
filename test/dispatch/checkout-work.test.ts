import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { settingsGuard } from '../../src/base/git-settings/index.js';
import { workOnCheckout } from '../../src/dispatch/checkouts/checkout-operations.js';
import type { WorkspaceOp } from '../../src/engine/index.js';
import { emptyEnvelope } from '../../src/engine/index.js';
import { measuredAttempt } from '../../src/worker/attempt/measured-attempt.js';
import { checkpoint, findLargeCommitted } from '../../src/workspace/index.js';
import { givenControl, givenSpec, sh } from '../agents/attempts/given.js';
import { measuredParts } from '../measured-parts.js';
import { begun, benchOf, givenBench, givenWorld, liveOf, siteOf, startOf, tempFolder, type World } from './given.js';

const run = 'r1';
const prepare = (stash = false): WorkspaceOp => ({ id: 'r1-op1', kind: 'prepare', stash });
const deliver = (id = 'r1-op2'): WorkspaceOp => ({
  id,
  kind: 'deliver',
  chain: 'US-1',
  message: 'US-1: order history',
});

function given() {
  const world = givenWorld('');
  const bench = benchOf(world);
  return {
    world,
    bench,
    work: (op: WorkspaceOp, root = world.root) => workOnCheckout(siteOf(root, run, bench.store), op),
  };
}

const commits = (world: World) => Number(world.git('rev-list', '--count', 'HEAD'));

describe('preparing a checkout', () => {
  it('accepts a clean checkout, and hides Bosun’s own files from git', async () => {
    const { world, work } = given();
    expect(await work(prepare())).toMatchObject({ ok: true, stash: null, note: null });
    world.write('.ai/STATE.json', '{}');
    expect(world.git('status', '--porcelain')).toBe('');
    expect(await work(prepare())).toMatchObject({ ok: true });
  });

  it('reports a person’s uncommitted changes as dirty, and touches none of them', async () => {
    const { world, work } = given();
    world.write('README.md', 'mine\n');
    world.write('new.txt', 'mine too\n');
    const result = await work(prepare());
    expect(result).toMatchObject({ ok: false, code: 'dirty' });
    expect(result.ok ? [] : [...result.files].sort()).toEqual(['README.md', 'new.txt']);
    expect(world.git('status', '--porcelain').split('\n')).toHaveLength(2);
    expect(world.git('stash', 'list')).toBe('');
  });

  it('stashes the changes once, however often it is repeated, and restores them', async () => {
    const { world, work } = given();
    world.write('README.md', 'mine\n');
    const [first, second] = [await work(prepare(true)), await work(prepare(true))];
    if (!first.ok || !second.ok || first.stash === null) throw new Error('nothing was put aside');
    expect(second.stash).toBe(first.stash);
    expect(world.git('stash', 'list').split('\n')).toHaveLength(1);
    expect(world.git('status', '--porcelain')).toBe('');
    expect(await work({ id: 'r1-op3', kind: 'restore', stash: first.stash })).toMatchObject({
      ok: true,
      note: expect.stringContaining('back'),
    });
    expect(readFileSync(join(world.root, 'README.md'), 'utf8')).toBe('mine\n');
  });

  it('reports an unusable folder by path, with the reason and a hint', async () => {
    const { world, work } = given();
    const bare = tempFolder();
    const said = async (root: string) => {
      const result = await work(prepare(), root);
      return result.ok ? 'ok' : `${result.code}: ${result.message}`;
    };
    expect(await said(join(bare, 'gone'))).toMatch(/^blocked: .*gone does not exist\nCheck the path/);
    expect(await said(bare)).toMatch(/^blocked: .* is not under git\n.*git init/);
    world.git('switch', '-q', '--detach');
    expect(await said(world.root)).toMatch(/^blocked: .*no branch checked out\n.*git switch/);
  });
});

describe('delivering a commit', () => {
  it('commits all changes under the piece’s title, and finds that commit when it is repeated', async () => {
    const { world, work } = given();
    await work(prepare());
    world.write('made.txt', 'one\ntwo\n');
    const [first, second] = [await work(deliver()), await work(deliver())];
    expect(first).toMatchObject({
      ok: true,
      commit: world.git('rev-parse', 'HEAD'),
      diffStat: { files: 1, insertions: 2, deletions: 0 },
    });
    expect(second).toEqual(first);
    expect(commits(world)).toBe(2);
    expect(world.git('log', '-1', '--format=%B')).toMatch(/^US-1: order history\n\nBosun: r1-op2-h[0-9a-f]{8}-\w+$/);
  });

  it('makes another commit for another operation, and none if nothing changed', async () => {
    const { world, work } = given();
    world.write('made.txt', 'one\n');
    await work(deliver());
    expect(await work(deliver('r1-op3'))).toMatchObject({ ok: true, commit: null });
    world.write('made.txt', 'two\n');
    expect(await work(deliver('r1-op4'))).toMatchObject({ ok: true, commit: expect.any(String) });
    expect(commits(world)).toBe(3);
  });

  it('does not mistake the commit of an operation whose id has the same prefix for its own', async () => {
    const { world, work } = given();
    world.write('made.txt', 'one\n');
    await work(deliver('r1-op12'));
    world.write('made.txt', 'two\n');
    await work(deliver('r1-op1'));
    expect(commits(world)).toBe(3);
  });

  it('does not mistake the commit of a run with the same number in another home for its own', async () => {
    const { world, work } = given();
    world.write('made.txt', 'one\n');
    await work(deliver());
    world.write('made.txt', 'two\n');
    const elsewhere = givenBench({ homeId: 'another' });
    expect(await workOnCheckout(siteOf(world.root, run, elsewhere.store), deliver())).toMatchObject({
      ok: true,
      commit: expect.any(String),
    });
    expect(commits(world)).toBe(3);
    expect(world.git('status', '--porcelain')).toBe('');
  });

  it('notes changes inside submodules, and never commits them', async () => {
    const { world, work } = given();
    const library = givenWorld('').root;
    world.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib');
    world.git('commit', '-q', '-m', 'lib');
    expect(await work(prepare())).toMatchObject({ ok: true, note: null });
    world.write('lib/README.md', 'changed\n');
    const note = "Changes in submodules (lib) are not part of this project's commits and stay as they are.";
    expect(await work(prepare())).toMatchObject({ ok: true, note });
    world.write('made.txt', 'one\n');
    expect(await work(deliver())).toMatchObject({ ok: true, note, diffStat: { files: 1 } });
    expect(await work(deliver('r1-op3'))).toMatchObject({ ok: true, note, commit: null });
  });

  it('reports the message of a git hook that rejects the commit, without throwing', async () => {
    const { world, work } = given();
    world.write('made.txt', 'one\n');
    const hook = join(world.root, '.git', 'hooks', 'pre-commit');
    writeFileSync(hook, '#!/bin/sh\necho "no tabs here" >&2\nexit 1\n', { mode: 0o755 });
    const result = await work(deliver());
    expect(result).toMatchObject({ ok: false, code: 'blocked', message: expect.stringContaining(world.root) });
    expect(result).toMatchObject({ message: expect.stringContaining('no tabs here') });
    rmSync(hook);
    expect(commits(world)).toBe(1);
    expect(await work(deliver())).toMatchObject({ ok: true, commit: expect.any(String) });
  });
});

describe('delivering beside a leftover git process', () => {
  it('finds the commit that the leftover process makes after the first lookup', async () => {
    const { world, work } = given();
    world.write('made.txt', 'one\n');
    await work(deliver());
    const made = world.git('rev-parse', 'HEAD');
    world.git('reset', '-q', '--soft', 'HEAD~1');
    // The first look finds nothing yet; right after it the commit is there.
    const bin = tempFolder();
    const git = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
    const late = `if [ "$saw" = log ] && [ ! -e '${bin}/late' ]; then : > '${bin}/late'; ${git} -C '${world.root}' reset -q --soft ${made}; fi`;
    const shim = `#!/bin/sh\nfor word; do [ "$word" = log ] && saw=log; done\n${git} "$@"\nexit=$?\n${late}\nexit $exit\n`;
    writeFileSync(join(bin, 'git'), shim, { mode: 0o755 });
    vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`);
    try {
      expect(await work(deliver())).toMatchObject({ ok: true, commit: made, diffStat: { files: 1 } });
    } finally {
      vi.unstubAllEnvs();
    }
    expect(commits(world)).toBe(2);
  });
});

describe('rolling back', () => {
  const back = (attempt: string): WorkspaceOp => ({
    id: 'r1-op5',
    kind: 'rollback',
    chain: '',
    node: 'n1',
    attempt,
    after: 'go_back',
    keepAs: 'rollbacks/r1-op5.diff',
  });

  it('reverts what an attempt changed, and keeps the changes as a diff file, idempotently', async () => {
    const { world, bench, work } = given();
    await begun(bench, 1);
    const { attempt } = liveOf(bench, run);
    await bench.dispatcher.submitEvent(startOf(bench, run));
    bench.store.setCheckpoint(attempt, JSON.stringify(await checkpoint(world.root)));
    world.write('README.md', 'spoilt\n');
    const result = await work(back(attempt));
    const kept = join(world.root, '.ai', 'runs', run, 'rollbacks', 'r1-op5.diff');
    expect(result).toMatchObject({ ok: true, note: expect.stringContaining(kept) });
    expect(readFileSync(kept, 'utf8')).toContain('+spoilt');
    expect(readFileSync(join(world.root, 'README.md'), 'utf8')).toBe('shop\n');
    expect(await work(back(attempt))).toMatchObject({ ok: true });
    expect(readFileSync(kept, 'utf8')).toContain('+spoilt');
  });

  it('fails if no checkpoint of the attempt was noted', async () => {
    const { work } = given();
    expect(await work(back('unknown'))).toMatchObject({
      ok: false,
      message: expect.stringContaining('took no checkpoint'),
    });
  });
});

it('stops before git runs with settings that an agent changed, until a person decides', async () => {
  const { world, work } = given();
  const guard = settingsGuard(tempFolder());
  guard.begin('r1-n1-d1', world.root);
  world.git('config', 'core.fsmonitor', 'touch ran');
  guard.end('r1-n1-d1');
  world.write('made.txt', 'x\n');
  const stopped = await work(deliver());
  expect(stopped).toMatchObject({ code: 'settings', message: expect.stringContaining('.git/config: core.fsmonitor') });
  expect(await work({ ...deliver('r1-op3'), settings: 'restore' })).toMatchObject({ ok: true });
  expect([commits(world), existsSync(join(world.root, 'ran'))]).toEqual([2, false]);
  expect(() => world.git('config', 'core.fsmonitor')).toThrow();
});

it('asks before it commits a large file, and commits it once a person has allowed it', async () => {
  const { world, bench } = given();
  world.write('made.txt', 'x\n');
  world.write('huge.bin', '1'.repeat(3 * 1024 * 1024));
  const git = { remote: null, base: null, largeFileBytes: 2 * 1024 * 1024, coAuthor: true };
  const project = { git, worktree: { setup: null, link: null } };
  const work = (op: WorkspaceOp) => workOnCheckout({ ...siteOf(world.root, run, bench.store), project }, op);
  expect(await work(deliver())).toMatchObject({ code: 'large', files: ['huge.bin (3 MB)'] });
  expect(commits(world)).toBe(1);
  expect(await work({ ...deliver('r1-op3'), allowsLarge: true })).toMatchObject({ ok: true });
  expect(world.git('show', '--name-only', '--format=').split('\n')).toEqual(['huge.bin', 'made.txt']);
  const from = world.git('rev-parse', 'HEAD~1');
  world.git('rm', '-q', 'huge.bin');
  world.git('commit', '-qm', 'without');
  // Whoever fetches the branch gets it all the same.
  expect(await findLargeCommitted(world.root, { from, tip: 'HEAD' }, git.largeFileBytes)).toEqual(['huge.bin (3 MB)']);
});

describe('an attempt in a checkout', () => {
  const notes: string[] = [];
  const runner = (envelope = emptyEnvelope, act: () => void = () => undefined) =>
    measuredAttempt({
      ...measuredParts(),
      run: async () => {
        act();
        return envelope;
      },
      noteCheckpoint: (attempt) => void notes.push(attempt),
      log: (message) => notes.push(message),
    });

  it('notes a checkpoint before it runs, and measures the changes after it', async () => {
    const { world } = given();
    notes.length = 0;
    const spec = givenSpec({ root: world.root, executor: sh('true') });
    const write = () => writeFileSync(join(world.root, 'made.txt'), 'one\n');
    expect(await runner({ ...emptyEnvelope, exit: 0 }, write)(spec, givenControl())).toMatchObject({
      exit: 0,
      filesChanged: ['made.txt'],
      diffStat: { files: 1, insertions: 1 },
    });
    expect(notes).toEqual([spec.attempt]);
  });

  it('runs outside git without a checkpoint or a measurement', async () => {
    notes.length = 0;
    const spec = givenSpec({ executor: sh('true') });
    expect(await runner({ ...emptyEnvelope, exit: 0 })(spec, givenControl())).toMatchObject({
      exit: 0,
      diffStat: null,
    });
    expect(notes).toEqual([expect.stringContaining('no checkpoint')]);
  });

  it('refuses to run without a folder, since it would run in Bosun’s working directory', async () => {
    notes.length = 0;
    let hasRun = false;
    const run = runner({ ...emptyEnvelope, exit: 0 }, () => {
      hasRun = true;
    });
    const agent = await run(
      givenSpec({ root: '', workdir: '', logPath: '/dev/null', executor: sh('true') }),
      givenControl(),
    );
    const check = await run(givenSpec({ root: '', workdir: '', logPath: '/dev/null', kind: 'check' }), givenControl());
    for (const { fault } of [agent, check]) expect(fault?.message).toMatch(/shop is no longer in config\.yaml/);
    expect(hasRun).toBe(false);
    expect(notes).toEqual([]);
    expect(existsSync('.ai/runs/r1')).toBe(false);
  });

  it('fails without an executor, with a hint to config.yaml', async () => {
    const envelope = await runner()(givenSpec({ executor: null }), givenControl());
    expect(envelope.fault).toMatchObject({ code: 'no_executor', message: expect.stringContaining('config.yaml') });
  });
});
