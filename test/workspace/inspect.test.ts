import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findCheckout, inspectChanges, inspectRoot, readBranch } from '../../src/workspace/index.js';
import { countingGit } from './dying-git.js';
import { makeFolder, makeRepository } from './repository.js';

test('accepts a repository with a commit and a branch', async () => {
  const repository = makeRepository();
  expect(await inspectRoot(repository.root)).toEqual({
    kind: 'ok',
    branch: 'main',
    head: repository.git('rev-parse', 'HEAD'),
    checkout: await findCheckout(repository.root),
  });
});

test('accepts a subfolder of a repository, and names the checkout’s top', async () => {
  const repository = makeRepository({ 'apps/shop/a.txt': 'one\n' });
  const state = await inspectRoot(join(repository.root, 'apps/shop'));
  expect(state).toMatchObject({
    kind: 'ok',
    checkout: { top: repository.git('rev-parse', '--show-toplevel'), prefix: 'apps/shop/' },
  });
});

test('reads the branch correctly beside a tag of the same name or a branch named HEAD', async () => {
  const repository = makeRepository();
  repository.git('tag', 'main');
  expect(await inspectRoot(repository.root)).toMatchObject({ kind: 'ok', branch: 'main' });
  repository.git('update-ref', 'refs/heads/HEAD', 'main');
  const head = repository.git('rev-parse', 'refs/heads/main');
  expect(await inspectRoot(repository.root)).toMatchObject({ kind: 'ok', branch: 'main', head });
  expect(await readBranch(repository.root)).toBe('main');
});

test('distinguishes a missing folder, a file, a folder outside git and a bare repository', async () => {
  const folder = makeFolder();
  writeFileSync(join(folder, 'file'), '');
  execFileSync('git', ['init', '-q', '--bare', join(folder, 'bare')]);
  expect(await inspectRoot(join(folder, 'none'))).toMatchObject({ kind: 'gone' });
  expect(await inspectRoot(join(folder, 'file'))).toMatchObject({ kind: 'not_a_folder' });
  expect(await inspectRoot(folder)).toMatchObject({ kind: 'not_git', hint: expect.stringContaining('git init') });
  expect(await inspectRoot(join(folder, 'bare'))).toMatchObject({ kind: 'bare' });
  expect(await inspectRoot(join(makeRepository().root, '.git'))).toMatchObject({ kind: 'not_git' });
});

test('rejects a repository without commits or without a branch, with a hint', async () => {
  const folder = makeFolder();
  execFileSync('git', ['init', '-q', folder]);
  expect(await inspectRoot(folder)).toMatchObject({ kind: 'no_commits', hint: expect.stringContaining('git commit') });
  const repository = makeRepository();
  repository.git('checkout', '-q', '--detach');
  expect(await inspectRoot(repository.root)).toMatchObject({
    kind: 'detached',
    hint: expect.stringContaining('git switch'),
  });
});

test('reports an unfinished merge or rebase with the command to abort it', async () => {
  for (const command of ['merge', 'rebase']) {
    const repository = makeRepository();
    repository.git('checkout', '-q', '-b', 'other');
    repository.write('a.txt', 'theirs\n');
    repository.git('commit', '-qam', 'theirs');
    repository.git('checkout', '-q', 'main');
    repository.write('a.txt', 'ours\n');
    repository.git('commit', '-qam', 'ours');
    expect(() => repository.git(command, 'other')).toThrow();
    expect(await inspectRoot(repository.root)).toMatchObject({
      kind: 'in_progress',
      hint: expect.stringContaining(`git ${command} --abort`),
    });
  }
});

test('ignores GIT_DIR of a surrounding git hook', async () => {
  const repository = makeRepository();
  process.env['GIT_DIR'] = '/nowhere';
  try {
    expect(await inspectRoot(repository.root)).toMatchObject({ kind: 'ok' });
  } finally {
    delete process.env['GIT_DIR'];
  }
});

test('inspects a checkout and lists its changes with two git calls', async () => {
  const repository = makeRepository({ 'a.txt': 'one\n', 'apps/shop/b.txt': 'one\n' });
  const shop = join(repository.root, 'apps/shop');
  repository.write('apps/shop/archive/r1/log.txt', 'of Bosun\n');
  repository.write('a.txt', 'two\n');
  repository.write('apps/shop/new.txt', 'new\n');
  const files = ['../../a.txt', 'new.txt'];
  // The first call makes git ignore Bosun's own files, and looks again.
  expect(await countingGit(() => inspectChanges(shop))).toMatchObject([{ state: { kind: 'ok' }, files }, 3]);
  expect(await countingGit(() => inspectChanges(shop))).toMatchObject([{ state: { kind: 'ok' }, files }, 2]);
  repository.git('checkout', '-q', '--detach');
  expect(await inspectChanges(shop)).toMatchObject({ state: { kind: 'detached' }, files: [] });
  expect(await inspectChanges(makeFolder())).toMatchObject({ state: { kind: 'not_git' }, files: [] });
});
