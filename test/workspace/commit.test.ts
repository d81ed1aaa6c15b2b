import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { gitEnvironment, remoteEnvironment } from '../../src/workspace/git/git-environment.js';
import { checkpoint, commitAll, diffSince, findCheckout, foreignChanges, rollback } from '../../src/workspace/index.js';
import { makeFolder, makeRepository, openRepository, type Repository, withoutIdentity } from './repository.js';

function addHook(repository: Repository, name: string, script: string): void {
  repository.write(`.git/hooks/${name}`, `#!/bin/sh\n${script}\n`);
  chmodSync(join(repository.root, '.git/hooks', name), 0o755);
}

test('commits staged, unstaged, new and deleted files as one commit on the branch', async () => {
  const repository = makeRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' });
  repository.write('a.txt', 'staged\n');
  repository.git('add', 'a.txt');
  repository.write('b.txt', 'loose\n');
  repository.write('neu ü.txt', 'new\n');
  repository.remove('c.txt');
  const result = await commitAll(repository.root, 'feat: größer\n\n# not a comment\n', {
    author: 'Ada <ada@example.invalid>',
  });
  const sha = repository.git('rev-parse', 'main');
  expect(result).toEqual({ kind: 'committed', sha, stat: { files: 4, insertions: 3, deletions: 3 } });
  expect(repository.status()).toBe('');
  expect(repository.git('log', '-1', '--format=%B%an')).toBe('feat: größer\n\n# not a comment\nAda');
});

test('makes no commit in a clean checkout', async () => {
  const repository = makeRepository();
  const head = repository.git('rev-parse', 'HEAD');
  repository.write('.ai/STATE.json', '{}');
  expect(await commitAll(repository.root, 'x')).toEqual({ kind: 'nothing' });
  expect(repository.git('rev-parse', 'HEAD')).toBe(head);
});

test('never commits Bosun’s own files, even if they are tracked, forced or un-ignored', async () => {
  const repository = makeRepository({ 'a.txt': 'a\n', '.ai/STATE.json': 'old', '.gitignore': '!.ai/\n' });
  repository.write('a.txt', 'work\n');
  repository.write('.ai/STATE.json', 'new');
  repository.write('.ai/notes.md', 'x');
  repository.write('workflow_edits/US-1.json', '[]');
  repository.git('add', '-f', '-A', '.');
  await commitAll(repository.root, 'work');
  expect(repository.git('diff', '--name-only', 'HEAD~1', 'HEAD')).toBe('a.txt');
  expect(repository.read('.ai/STATE.json')).toBe('new');
  expect(repository.read('.ai/notes.md')).toBe('x');
});

test('leaves submodules and nested repositories alone, and runs none of their filters', async () => {
  const inner = makeRepository({ 'lib.txt': '1\n' });
  const repository = makeRepository();
  repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'lib');
  repository.git('commit', '-qm', 'with lib');
  openRepository(join(repository.root, 'lib')).git('commit', '-q', '--allow-empty', '-m', 'moved');
  repository.git('init', '-q', 'inside');
  const ran = join(makeFolder(), 'ran');
  const inLib = openRepository(join(repository.root, 'lib'));
  for (const what of ['filter.x.clean', 'core.fsmonitor']) inLib.git('config', what, `touch '${ran}'`);
  repository.write('.git/modules/lib/info/attributes', '* filter=x\n');
  inLib.write('lib.txt', '2\n');
  expect(await commitAll(repository.root, 'x')).toEqual({ kind: 'nothing' });
  repository.write('a.txt', 'work\n');
  await commitAll(repository.root, 'work');
  expect(repository.git('diff', '--name-only', 'HEAD~1', 'HEAD')).toBe('a.txt');
  expect(existsSync(ran)).toBe(false);
});

test('quotes a hook that rejects the commit, and leaves index and files unchanged', async () => {
  const repository = makeRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  addHook(repository, 'pre-commit', 'echo "lint: a.txt is ugly" >&2; exit 3');
  repository.write('a.txt', 'staged\n');
  repository.git('add', 'a.txt');
  repository.write('b.txt', 'loose\n');
  const before = [repository.status(), repository.git('ls-files', '--stage'), repository.git('rev-parse', 'HEAD')];
  await expect(commitAll(repository.root, 'work')).rejects.toMatchObject({
    code: 'git',
    message: expect.stringContaining('lint: a.txt is ugly'),
    hint: expect.stringContaining('hook'),
  });
  expect([repository.status(), repository.git('ls-files', '--stage'), repository.git('rev-parse', 'HEAD')]).toEqual(
    before,
  );
});

test('includes what a pre-commit hook stages', async () => {
  const repository = makeRepository();
  addHook(repository, 'pre-commit', 'printf "formatted\\ntwice\\n" > a.txt; git add a.txt');
  repository.write('a.txt', 'work\n');
  const made = await commitAll(repository.root, 'work');
  expect(made).toMatchObject({ stat: { files: 1, insertions: 2, deletions: 1 } });
  expect(repository.git('show', 'HEAD:a.txt')).toBe('formatted\ntwice');
  expect(repository.status()).toBe('');
});

test('commits as Bosun if the person has set no identity', async () => {
  const repository = makeRepository();
  await withoutIdentity(async () => {
    repository.write('a.txt', 'by Bosun\n');
    await commitAll(repository.root, 'x');
    expect(repository.git('log', '-1', '--format=%an <%ae> %cn')).toBe('Bosun <bosun@localhost> Bosun');
    repository.git('config', 'user.name', 'Bob');
    repository.git('config', 'user.email', 'bob@example.invalid');
    repository.write('a.txt', 'by Bob\n');
    await commitAll(repository.root, 'x');
    expect(repository.git('log', '-1', '--format=%an %cn')).toBe('Bob Bob');
  });
});

test('refuses to commit without a branch, without a first commit or during a merge', async () => {
  const repository = makeRepository();
  repository.git('checkout', '-q', '-b', 'side');
  repository.git('commit', '-q', '--allow-empty', '-m', 'side');
  repository.git('checkout', '-q', 'main');
  repository.write('b.txt', 'x');
  repository.git('checkout', '-q', '--detach');
  await expect(commitAll(repository.root, 'x')).rejects.toMatchObject({ hint: expect.stringContaining('git switch') });
  repository.git('checkout', '-q', 'main');
  repository.git('merge', '-q', '--no-commit', '--no-ff', 'side');
  await expect(commitAll(repository.root, 'x')).rejects.toMatchObject({
    hint: expect.stringContaining('git merge --abort'),
  });
  const empty = openRepository(makeFolder());
  empty.git('init', '-q');
  await expect(commitAll(empty.root, 'x')).rejects.toMatchObject({ message: expect.stringContaining('no commit') });
});

test('reports a leftover git lock with a hint to delete it', async () => {
  const repository = makeRepository();
  repository.write('a.txt', 'work\n');
  repository.write('.git/index.lock', '');
  await expect(commitAll(repository.root, 'x')).rejects.toMatchObject({ hint: expect.stringContaining('delete') });
});

test('runs no fsmonitor and only commit hooks, and passes Bosun’s secrets to none of them', async () => {
  const repository = makeRepository();
  const told = join(makeFolder(), 'told');
  const script = `echo "$0 token=$TELEGRAM_BOT_TOKEN" >> '${told}'`;
  for (const name of ['pre-commit', 'post-checkout', 'post-merge', 'pre-auto-gc']) addHook(repository, name, script);
  repository.write('.git/watch', `#!/bin/sh\n${script}\n`);
  chmodSync(join(repository.root, '.git/watch'), 0o755);
  repository.git('config', 'core.fsmonitor', join(repository.root, '.git/watch'));
  vi.stubEnv('TELEGRAM_BOT_TOKEN', 'secret');
  try {
    const before = await checkpoint(repository.root);
    repository.write('a.txt', 'work\n');
    await foreignChanges(await findCheckout(repository.root));
    await diffSince(repository.root, before);
    await rollback(repository.root, before, { saveTo: join(makeFolder(), 'kept.diff') });
    repository.write('a.txt', 'work again\n');
    await commitAll(repository.root, 'work');
  } finally {
    vi.unstubAllEnvs();
  }
  expect(readFileSync(told, 'utf8')).toMatch(/^\S*.*pre-commit token=\n$/);
});

test('passes credential variables to git commands on a remote only', () => {
  const parent = {
    PATH: '/bin',
    GH_TOKEN: 'g',
    DEPLOY_TOKEN: 'd',
    TELEGRAM_BOT_TOKEN: 't',
    GIT_DIR: '/x',
    GIT_SSH: 's',
  };
  expect(gitEnvironment(parent)).toEqual({ PATH: '/bin', GIT_SSH: 's' });
  expect(remoteEnvironment('global\tcredential.helper !f() { echo password=$DEPLOY_TOKEN; }; f', parent)).toEqual({
    ...{ GH_TOKEN: 'g', DEPLOY_TOKEN: 'd' },
  });
});
