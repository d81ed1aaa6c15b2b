import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  checkpoint,
  commitAll,
  diffSince,
  dropWorktree,
  findCheckout,
  foreignChanges,
  listWorktrees,
  openWorktree,
  rollback,
} from '../../src/workspace/index.js';
import { makeFolder, makeRepository, openRepository, type Repository } from './repository.js';
import { openStory } from './story.js';

function wantedOf(repository: Repository, branch = 'ralph/US-001') {
  return { root: repository.root, path: join(makeFolder(), 'agent-1'), branch };
}

test('opens a worktree on a new branch from the checked-out commit, idempotently', async () => {
  const repository = makeRepository();
  const wanted = wantedOf(repository);
  const base = repository.git('rev-parse', 'main');
  const opened = { kind: 'opened', base, branch: 'ralph/US-001', root: wanted.path, isContinued: false, note: null };
  expect(await openWorktree(wanted)).toEqual(opened);
  const tree = openRepository(wanted.path);
  expect(tree.git('branch', '--show-current')).toBe('ralph/US-001');
  tree.write('a.txt', 'loose work\n');
  tree.write('new.txt', 'work\n');
  tree.git('add', 'new.txt');
  tree.git('commit', '-qm', 'work');
  repository.git('commit', '-q', '--allow-empty', '-m', 'base moves');
  expect(await openWorktree(wanted)).toEqual({ ...opened, isContinued: true });
  expect(tree.read('a.txt')).toBe('loose work\n');
  expect(repository.git('branch', '--show-current')).toBe('main');
  expect(repository.status()).toBe('');
});

test('opens a worktree from a given base', async () => {
  const repository = makeRepository();
  const first = repository.git('rev-parse', 'HEAD');
  repository.git('branch', 'old');
  repository.git('commit', '-q', '--allow-empty', '-m', 'second');
  expect(await openWorktree({ ...wantedOf(repository), base: 'old' })).toMatchObject({ base: first });
  for (const base of ['none', '--help']) {
    expect(await openWorktree({ ...wantedOf(repository, 'ralph/US-2'), base })).toMatchObject({
      kind: 'blocked',
      why: expect.stringContaining(base),
    });
  }
});

test('ignores Bosun’s own files in a worktree, including in a subfolder project', async () => {
  const repository = makeRepository({ 'shop/a.txt': 'a\n', 'b.txt': 'b\n' });
  const path = join(makeFolder(), 'agent-1');
  const opened = await openWorktree({ root: join(repository.root, 'shop'), path, branch: 'ralph/US-001' });
  expect(opened).toMatchObject({ kind: 'opened', root: join(path, 'shop') });
  const tree = openRepository(path);
  for (const own of ['.ai/HANDOFF.md', 'workflow_edits/US-1.json', 'workflow_state.json', 'progress.txt']) {
    tree.write(`shop/${own}`, 'x');
  }
  expect(tree.status()).toBe('');
  expect(await foreignChanges(await findCheckout(join(path, 'shop')))).toEqual([]);
});

test('continues the branch of an earlier try', async () => {
  const repository = makeRepository();
  const wanted = wantedOf(repository);
  await openWorktree(wanted);
  const tree = openRepository(wanted.path);
  tree.write('half.txt', 'half\n');
  tree.git('add', '-A');
  tree.git('commit', '-qm', 'half');
  await dropWorktree({ ...wanted, keepBranch: true });
  expect(await openWorktree(wanted)).toMatchObject({ kind: 'opened', isContinued: true });
  expect(tree.read('half.txt')).toBe('half\n');
});

test('recreates a worktree whose folder is gone or whose creation was interrupted', async () => {
  const repository = makeRepository();
  const gone = wantedOf(repository);
  await openWorktree(gone);
  rmSync(gone.path, { recursive: true });
  expect(await openWorktree(gone)).toMatchObject({ kind: 'opened' });
  expect(openRepository(gone.path).status()).toBe('');

  const cut = wantedOf(repository, 'ralph/US-002');
  await openWorktree(cut);
  const tree = openRepository(cut.path);
  writeFileSync(join(tree.git('rev-parse', '--absolute-git-dir'), 'locked'), 'initializing');
  tree.remove('a.txt');
  expect(await openWorktree(cut)).toMatchObject({ kind: 'opened' });
  expect(tree.read('a.txt')).toBe('one\n');
  expect(await listWorktrees(repository.root)).toHaveLength(3);
});

test('refuses to open a worktree in a bad state with a hint, and touches nothing', async () => {
  type Case = readonly [string, (repository: Repository, wanted: ReturnType<typeof wantedOf>) => unknown];
  const cases: readonly Case[] = [
    ['no branch checked out', (r) => r.git('checkout', '-q', '--detach')],
    ['already exists and is not a worktree', (_, { path }) => openRepository(path).write('x', 'left over')],
    ['already exists and is not a worktree', (_, { path }) => writeFileSync(path, 'a file')],
    ['already exists and is not a worktree', (_, { path }) => execFileSync('git', ['init', '-q', path])],
    ['with other checked out', (r, { path }) => r.git('worktree', 'add', '-q', '-b', 'other', path)],
    ['ralph/US-001 is checked out in', (r) => r.git('checkout', '-q', '-b', 'ralph/US-001')],
    ['ralph/US-001 is checked out in', (r) => r.git('worktree', 'add', '-qb', 'ralph/US-001', join(makeFolder(), 'x'))],
    ['Cannot create', (r) => r.git('branch', 'ralph')],
    ['shares no commit', (r) => r.git('branch', 'ralph/US-001', r.git('commit-tree', 'HEAD^{tree}', '-m', 'x'))],
  ];
  for (const [why, change] of cases) {
    const repository = makeRepository();
    const wanted = wantedOf(repository);
    change(repository, wanted);
    expect(await openWorktree(wanted)).toMatchObject({
      kind: 'blocked',
      why: expect.stringContaining(why),
      hint: expect.stringMatching(/\w/),
    });
  }
  const repository = makeRepository();
  expect(await openWorktree({ ...wantedOf(repository), path: repository.root })).toMatchObject({ kind: 'blocked' });
  for (const branch of ['-x', 'a..b', '']) {
    expect(await openWorktree(wantedOf(repository, branch))).toMatchObject({
      why: expect.stringContaining('not a valid branch name'),
    });
  }
  const empty = openRepository(makeFolder());
  expect(await openWorktree(wantedOf(empty))).toMatchObject({ kind: 'blocked' });
  empty.git('init', '-q');
  expect(await openWorktree(wantedOf(empty))).toMatchObject({ why: expect.stringContaining('no commit yet') });
});

test('ignores hooks, an empty folder and a lock of the main checkout, but not a lock of the worktree', async () => {
  const repository = makeRepository();
  repository.write('.git/hooks/post-checkout', '#!/bin/sh\nexit 1\n');
  execFileSync('chmod', ['+x', join(repository.root, '.git/hooks/post-checkout')]);
  repository.write('.git/index.lock', '');
  const wanted = wantedOf(repository);
  mkdirSync(wanted.path);
  expect(await openWorktree(wanted)).toMatchObject({ kind: 'opened' });
  const lock = openRepository(wanted.path).git('rev-parse', '--git-path', 'index.lock');
  writeFileSync(lock, '');
  expect(await openWorktree(wanted)).toMatchObject({ kind: 'blocked', hint: expect.stringContaining(lock) });
});

test('notes that submodules are empty in a worktree', async () => {
  const inner = makeRepository({ 'lib.txt': '1\n' });
  const repository = makeRepository();
  repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'lib');
  repository.git('commit', '-qm', 'with lib');
  const wanted = wantedOf(repository);
  expect(await openWorktree(wanted)).toMatchObject({ kind: 'opened', note: expect.stringContaining('worktree: lib.') });
  expect(await dropWorktree({ ...wanted, keepBranch: false })).toEqual({ kind: 'dropped', branch: 'deleted' });
});

test('takes a checkpoint, a diff, a commit and a rollback of one worktree only', async () => {
  const repository = makeRepository();
  const { tree } = await openStory(repository, 'US-001');
  repository.write('a.txt', 'of the person\n');
  const point = await checkpoint(tree.root);
  expect(point).toMatchObject({ branch: 'ralph/US-001', head: repository.git('rev-parse', 'main') });
  tree.write('a.txt', 'work\n');
  expect(await commitAll(tree.root, 'work')).toMatchObject({ kind: 'committed' });
  tree.write('new.txt', 'x');
  expect((await diffSince(tree.root, point)).files).toEqual(['a.txt', 'new.txt']);
  const saveTo = join(makeFolder(), 'x.diff');
  expect(await rollback(tree.root, point, { saveTo })).toMatchObject({ kind: 'done', files: ['a.txt', 'new.txt'] });
  expect(tree.status()).toBe('');
  expect(tree.git('rev-parse', 'HEAD')).toBe(point.head);
  expect(repository.status()).toBe(' M a.txt');
});

test('commits loose work on drop, keeps a branch with work, and drops idempotently', async () => {
  const repository = makeRepository();
  const story = await openStory(repository, 'US-001');
  story.tree.write('loose.txt', 'x\n');
  const drop = () => dropWorktree({ ...story, keepBranch: false });
  expect(await drop()).toEqual({ kind: 'dropped', branch: 'kept' });
  expect(story.tree.has('.')).toBe(false);
  expect(repository.git('show', 'ralph/US-001:loose.txt')).toBe('x');
  expect(await drop()).toEqual({ kind: 'dropped', branch: 'kept' });
  repository.git('merge', '-q', 'ralph/US-001');
  expect(await dropWorktree({ ...story, keepBranch: true })).toEqual({ kind: 'dropped', branch: 'kept' });
  expect(await drop()).toEqual({ kind: 'dropped', branch: 'deleted' });
  expect(await drop()).toEqual({ kind: 'dropped', branch: 'missing' });
});

test('completes an interrupted removal', async () => {
  const repository = makeRepository();
  const story = await openStory(repository, 'US-001');
  story.tree.remove('.git');
  expect(await dropWorktree({ ...story, keepBranch: false })).toEqual({ kind: 'dropped', branch: 'deleted' });
  expect(story.tree.has('.')).toBe(false);
});

test('never removes the main checkout, another branch’s worktree or a foreign repository', async () => {
  const repository = makeRepository();
  const story = await openStory(repository, 'US-001');
  const other = await openStory(repository, 'US-002');
  rmSync(story.path, { recursive: true });
  execFileSync('git', ['init', '-q', story.path]);
  const wanted = { root: repository.root, branch: 'ralph/US-001', keepBranch: false };
  for (const path of [repository.root, other.path, story.path]) {
    expect(await dropWorktree({ ...wanted, path })).toMatchObject({ kind: 'blocked' });
    expect(openRepository(path).has('.git')).toBe(true);
  }
});

test('lists worktrees with their branches, even during a rebase', async () => {
  const repository = makeRepository();
  const story = await openStory(repository, 'US-001');
  for (const one of [repository, story.tree]) {
    one.write('a.txt', `of ${one.root}\n`);
    one.git('commit', '-qam', 'work');
  }
  expect(() => story.tree.git('rebase', 'main')).toThrow();
  expect(await listWorktrees(repository.root)).toEqual([
    { path: realpathSync(repository.root), branch: 'main', isMain: true, state: 'whole' },
    { path: realpathSync(story.path), branch: 'ralph/US-001', isMain: false, state: 'whole' },
  ]);
});
