import { readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  type Checkpoint,
  checkpoint,
  checkpointSchema,
  diffSince,
  diffStat,
  excludeOwnFiles,
} from '../../src/workspace/index.js';
import { countingGit, withGitAfter } from './dying-git.js';
import { makeFolder, makeRepository } from './repository.js';

test('a checkpoint holds tracked and untracked files, and touches neither index, refs nor stash', async () => {
  const repository = makeRepository({ 'a.txt': 'one\n', 'b.txt': 'two\n', '.gitignore': 'ignored\n' });
  repository.write('a.txt', 'staged\n');
  repository.git('add', 'a.txt');
  repository.write('a.txt', 'unstaged\n');
  repository.write('neu ü.txt', 'new\n');
  repository.write('ignored', 'x');
  repository.remove('b.txt');
  const look = () => [repository.status(), repository.git('for-each-ref'), repository.git('ls-files', '--stage')];
  const before = look();
  const point = await checkpoint(repository.root);
  expect(look()).toEqual(before);
  expect(repository.git('ls-tree', '-r', '--name-only', point.tree).split('\n')).toEqual([
    '.gitignore',
    'a.txt',
    'neu ü.txt',
  ]);
  expect(repository.git('show', `${point.tree}:a.txt`)).toBe('unstaged');
  expect(repository.git('show', `${point.staged}:a.txt`)).toBe('staged');
  expect(point).toMatchObject({ branch: 'main', head: repository.git('rev-parse', 'HEAD') });
  expect(checkpointSchema.parse(JSON.parse(JSON.stringify(point)))).toEqual(point);
});

test('a checkpoint and a diff of an unchanged checkout take two git calls each', async () => {
  const repository = makeRepository({ 'a.txt': 'one\n', '.gitignore': 'ignored\n' });
  repository.write('ignored', 'x');
  await excludeOwnFiles(repository.root);
  const [point, calls] = await countingGit(() => checkpoint(repository.root));
  const tree = repository.git('rev-parse', 'HEAD^{tree}');
  expect(point).toMatchObject({ tree, staged: tree });
  expect(calls).toBe(2);
  const [diff, more] = await countingGit(() => diffSince(repository.root, point));
  expect(diff).toMatchObject({ files: [], stat: { files: 0, insertions: 0, deletions: 0 } });
  expect(await diff.patch()).toBe('');
  expect(more).toBe(2);
});

test('a checkpoint and a diff of changed files take five git calls each', async () => {
  const repository = makeRepository({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
  await excludeOwnFiles(repository.root);
  repository.write('a.txt', 'person\n');
  const [point, calls] = await countingGit(() => checkpoint(repository.root));
  expect(calls).toBe(5);
  repository.write('a.txt', 'agent\nagent\n');
  repository.write('new.bin', new Uint8Array([0, 1]));
  repository.remove('b.txt');
  const [diff, more] = await countingGit(() => diffSince(repository.root, point));
  expect(more).toBe(5);
  expect(diff).toMatchObject({
    stat: { files: 3, insertions: 2, deletions: 2 },
    changes: [
      { path: 'a.txt', insertions: 2, deletions: 1 },
      { path: 'b.txt', insertions: 0, deletions: 1 },
      { path: 'new.bin', insertions: 0, deletions: 0 },
    ],
  });
});

test('a diff leaves out a tracked file of Bosun’s own that changed, also with names that begin with a colon', async () => {
  const repository = makeRepository({ ':a': 'one\n', '.ai/STATE.json': '1\n' });
  const point = await checkpoint(repository.root);
  repository.write(':a', 'two\n');
  repository.write(':new', 'three\n');
  repository.write('.ai/STATE.json', '2\n');
  const diff = await diffSince(repository.root, point);
  expect(diff.changes.map(({ path }) => path)).toEqual([':a', ':new']);
  expect(repository.git('show', `${diff.to}:.ai/STATE.json`)).toBe('1');
});

test('a checkpoint takes two git calls in a subfolder, a worktree and through a link', async () => {
  const repository = makeRepository({ 'sub/a.txt': 'one\n' });
  const folder = makeFolder();
  const [tree, link] = [join(folder, 'tree'), join(folder, 'link')];
  repository.git('worktree', 'add', '-q', tree);
  symlinkSync(repository.root, link);
  for (const root of [join(repository.root, 'sub'), tree, link]) {
    await excludeOwnFiles(root);
    const [point, calls] = await countingGit(() => checkpoint(root));
    expect([calls, point.tree]).toEqual([2, repository.git('rev-parse', 'HEAD^{tree}')]);
    writeFileSync(join(root === tree ? join(tree, 'sub') : join(repository.root, 'sub'), 'a.txt'), 'two\n');
    expect(repository.git('show', `${(await checkpoint(root)).tree}:sub/a.txt`)).toBe('two');
    repository.git('checkout', '-q', '--', '.');
  }
});

test('the first checkpoint of a checkout scans again once git ignores Bosun’s own files', async () => {
  const repository = makeRepository();
  repository.write('.ai/STATE.json', '{}');
  const [point, calls] = await countingGit(() => checkpoint(repository.root));
  expect([calls, point.tree]).toEqual([3, repository.git('rev-parse', 'HEAD^{tree}')]);
});

test('a checkpoint holds what a person stages while it is taken', async () => {
  const repository = makeRepository({ 'a.txt': 'one\n' });
  await excludeOwnFiles(repository.root);
  repository.write('a.txt', 'two\n');
  const stages = `env -u GIT_INDEX_FILE "$GIT" -C "${repository.root}" add a.txt`;
  const point = await withGitAfter(' status ', stages, () => checkpoint(repository.root));
  expect(repository.git('show', `${point.staged}:a.txt`)).toBe('two');
});

test('a checkpoint includes a commit made while it is taken', async () => {
  const repository = makeRepository();
  repository.write('a.txt', 'two\n');
  const commits = `"$GIT" -C "${repository.root}" commit -qam two`;
  const point = await withGitAfter(' status ', commits, () => checkpoint(repository.root));
  expect(repository.git('show', `${point.tree}:a.txt`)).toBe('two');
  expect(repository.git('show', `${point.staged}:a.txt`)).toBe('two');
  // HEAD is read beside the status, so it may be either; the tree holds the commit's files in both cases.
  expect(['HEAD~1', 'HEAD'].map((name) => repository.git('rev-parse', name))).toContain(point.head);
});

test('a checkpoint leaves no temporary file behind', async () => {
  const repository = makeRepository();
  const folder = makeFolder();
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  await checkpoint(repository.root);
  repository.write('.git/index', 'broken');
  await expect(checkpoint(repository.root)).rejects.toMatchObject({ code: 'git' });
  expect(readdirSync(folder)).toEqual([]);
});

test('a checkpoint detects a change of the same size within the same clock tick', async () => {
  const repository = makeRepository();
  repository.git('config', 'core.trustctime', 'false');
  const tick = new Date('2024-05-01T10:00:00Z');
  const stamp = (path: string) => utimesSync(join(repository.root, path), tick, tick);
  repository.write('a.txt', '1\n');
  stamp('a.txt');
  repository.git('add', 'a.txt');
  stamp('.git/index');
  repository.write('a.txt', '2\n');
  stamp('a.txt');
  const point = await checkpoint(repository.root);
  expect(repository.git('show', `${point.tree}:a.txt`)).toBe('2');
});

test('a diff includes committed, staged, unstaged and untracked changes', async () => {
  const repository = makeRepository({
    'committed.txt': '1\n',
    'staged.txt': '1\n',
    'loose.txt': '1\n',
    'gone.txt': '1\n',
  });
  repository.write('before.txt', 'untracked at the checkpoint\n');
  const point = await checkpoint(repository.root);
  repository.write('committed.txt', '2\n');
  repository.git('commit', '-qam', 'work');
  repository.write('staged.txt', '2\n');
  repository.git('add', 'staged.txt');
  repository.write('loose.txt', '1\n2\n');
  repository.write('neu ü.txt', 'new\n');
  repository.remove('gone.txt');
  repository.write('.ai/STATE.json', '{}');
  const diff = await diffSince(repository.root, point);
  expect(diff.files).toEqual(['committed.txt', 'gone.txt', 'loose.txt', 'neu ü.txt', 'staged.txt']);
  expect(diff.stat).toEqual({ files: 5, insertions: 4, deletions: 3 });
  expect(await diff.patch()).toContain('+++ b/neu ü.txt');
  const cut = await diff.patch(200);
  expect(cut).toMatch(/… cut after 200 bytes\n$/);
  expect(cut.length).toBeLessThan(300);
});

test('a diff is independent of the person’s git settings', async () => {
  const repository = makeRepository();
  const point = await checkpoint(repository.root);
  repository.write('a.txt', 'two\n');
  const plain = await (await diffSince(repository.root, point)).patch();
  for (const [name, value] of [
    ['diff.noprefix', 'true'],
    ['color.ui', 'always'],
    ['diff.external', 'false'],
  ] as const) {
    repository.git('config', name, value);
  }
  expect(await (await diffSince(repository.root, point)).patch()).toBe(plain);
});

test('a diff lists paths relative to the project’s folder', async () => {
  const repository = makeRepository({ 'shop/a.txt': '1\n', 'b.txt': '1\n' });
  const point = await checkpoint(join(repository.root, 'shop'));
  repository.write('shop/a.txt', '2\n');
  repository.write('b.txt', '2\n');
  expect((await diffSince(join(repository.root, 'shop'), point)).files).toEqual(['../b.txt', 'a.txt']);
});

test('a checkpoint and a diff leave out Bosun’s own files and nested repositories', async () => {
  const repository = makeRepository({ 'a.txt': 'one\n', '.ai/STATE.json': '1' });
  const point = await checkpoint(repository.root);
  repository.git('init', '-q', 'empty inside');
  repository.git('init', '-q', 'inside');
  repository.git('-C', 'inside', 'commit', '-q', '--allow-empty', '-m', 'x');
  repository.write('.ai/STATE.json', '2');
  repository.write('.ai/notes.md', 'x');
  repository.git('add', '-f', '.ai');
  repository.git('commit', '-qm', 'everything');
  expect((await diffSince(repository.root, point)).files).toEqual([]);
  expect((await checkpoint(repository.root)).head).not.toBe(point.head);
});

test('a diff against a checkpoint that git has pruned fails with a hint', async () => {
  const repository = makeRepository();
  const lost: Checkpoint = { ...(await checkpoint(repository.root)), tree: '1'.repeat(40) };
  await expect(diffSince(repository.root, lost)).rejects.toMatchObject({
    code: 'git',
    hint: expect.stringContaining('gc'),
  });
});

test('commits since a base are counted, and their diff stat is computed', async () => {
  const repository = makeRepository();
  const start = repository.git('rev-parse', 'HEAD');
  repository.write('a.txt', 'one\ntwo\n');
  repository.git('commit', '-qam', 'second');
  repository.write('b.bin', new Uint8Array([0, 1, 2]));
  repository.git('add', '-A');
  repository.git('commit', '-qm', 'third');
  expect(await diffStat(repository.root, start, 'HEAD')).toEqual({ files: 2, insertions: 1, deletions: 0 });
  await expect(diffStat(repository.root, '--output=x', 'HEAD')).rejects.toMatchObject({ code: 'git' });
});
