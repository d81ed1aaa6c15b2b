// Repositories as people really have them: shallow, sparse, with submodules, large files and names of every kind.
import { chmodSync, lstatSync, readlinkSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  checkpoint,
  checkpointSchema,
  commitAll,
  diffSince,
  dirtySubmodules,
  findCheckout,
  inspectRoot,
  mergeWorktree,
  openWorktree,
  rollback,
} from '../../src/workspace/index.js';
import { withGitAfter } from './dying-git.js';
import { makeFolder, makeRepository, openRepository, type Repository } from './repository.js';
import { mergeStory, openStory } from './story.js';

const allow = ['-c', 'protocol.file.allow=always'] as const;

function withSubmodule(): { readonly repository: Repository; readonly lib: Repository } {
  const library = makeRepository({ 'lib.txt': 'lib\n' });
  const repository = makeRepository();
  repository.git(...allow, 'submodule', '--quiet', 'add', library.root, 'lib');
  repository.git('commit', '-qm', 'lib');
  return { repository, lib: openRepository(join(repository.root, 'lib')) };
}

/** A step that works, is taken back, works again and is committed; then a story that is merged. */
async function walk(repository: Repository): Promise<void> {
  const before = repository.status();
  const point = await checkpoint(repository.root);
  repository.write('a.txt', 'work\n');
  repository.write('new/made.txt', 'work\n');
  expect((await diffSince(repository.root, point)).files).toEqual(['a.txt', 'new/made.txt']);
  const taken = await rollback(repository.root, point, { saveTo: join(makeFolder(), 'back.diff') });
  expect(taken).toMatchObject({ kind: 'done' });
  expect(repository.status()).toBe(before);
  repository.write('a.txt', 'work\n');
  expect(await commitAll(repository.root, 'work')).toMatchObject({ kind: 'committed', stat: { files: 1 } });
  const story = await openStory(repository, 'US-001');
  story.tree.write('story.txt', 'story\n');
  expect(await mergeStory(story)).toMatchObject({ kind: 'merged', stat: { files: 1 } });
  expect(repository.read('story.txt')).toBe('story\n');
  expect(repository.git('log', '--format=%s', '-2').split('\n')).toEqual(['feat: ralph/US-001', 'work']);
}

describe('checkpoint, commit, rollback and merge', () => {
  test('work in a shallow clone', async () => {
    const origin = makeRepository();
    for (const n of ['1', '2', '3']) origin.git('commit', '-q', '--allow-empty', '-m', n);
    const root = join(makeFolder(), 'clone');
    origin.git('clone', '-q', '--depth', '1', `file://${encodeURI(origin.root)}`.replaceAll('%20', ' '), root);
    await walk(openRepository(decodeURI(root)));
  });

  test('work in a sparse checkout, including for files outside it', async () => {
    const repository = makeRepository({ 'a.txt': 'one\n', 'in/x.txt': 'x\n', 'out/y.txt': 'y\n' });
    repository.git('sparse-checkout', 'set', 'in');
    expect(repository.has('out/y.txt')).toBe(false);
    await walk(repository);
    expect(repository.has('out/y.txt')).toBe(false);
    expect(repository.git('show', 'HEAD:out/y.txt')).toBe('y');
  });

  test('work beside a submodule, which stays unchanged', async () => {
    const { repository, lib } = withSubmodule();
    const [commit, pointer] = [lib.git('rev-parse', 'HEAD'), repository.git('rev-parse', 'HEAD:lib')];
    await walk(repository);
    expect([lib.git('rev-parse', 'HEAD'), repository.git('rev-parse', 'HEAD:lib')]).toEqual([commit, pointer]);
    expect(lib.read('lib.txt')).toBe('lib\n');
  });

  test('work with git LFS pointers without a filter', async () => {
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n';
    const repository = makeRepository({
      'a.txt': 'one\n',
      '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
      'big.bin': pointer,
    });
    await walk(repository);
    expect(repository.read('big.bin')).toBe(pointer);
  });

  test('work with git LFS and a working filter', async () => {
    const repository = makeRepository({ 'a.txt': 'one\n', '.gitattributes': '*.bin filter=lfs -text\n' });
    repository.git('config', 'filter.lfs.clean', "sed 's/^/pointer to /'");
    repository.git('config', 'filter.lfs.smudge', "sed 's/^pointer to //'");
    repository.git('config', 'filter.lfs.required', 'true');
    repository.write('big.bin', 'big\n');
    await commitAll(repository.root, 'big');
    expect(repository.git('show', 'HEAD:big.bin')).toBe('pointer to big');
    await walk(repository);
    const point = await checkpoint(repository.root);
    repository.write('big.bin', 'bigger\n');
    await rollback(repository.root, point, { saveTo: join(makeFolder(), 'back.diff') });
    expect(repository.read('big.bin')).toBe('big\n');
    const story = await openStory(repository, 'US-002');
    expect(story.tree.read('big.bin')).toBe('big\n');
  });
});

test('a filter that is not installed is reported with the install command', async () => {
  const repository = makeRepository({ 'a.txt': 'one\n' });
  repository.git('config', 'filter.lfs.clean', 'git-lfs-that-is-not-there clean');
  repository.git('config', 'filter.lfs.required', 'true');
  repository.write('.gitattributes', '*.bin filter=lfs -text\n');
  repository.write('big.bin', 'big\n');
  await expect(checkpoint(repository.root)).rejects.toMatchObject({
    message: expect.stringMatching(/filter/),
    hint: expect.stringContaining('git lfs install'),
  });
});

test.each([
  [
    'error: insufficient permission for adding an object to repository database .git/objects',
    'write access to the .git folder',
  ],
  ["fatal: Unable to create '.git/index.lock': Read-only file system", 'write access to the .git folder'],
  ["fatal: Unable to create '.git/index.lock': File exists.", 'delete the stale .lock file'],
  ['fatal: write error: No space left on device', 'The disk is full'],
])('git’s error "%s" is reported with a hint', async (said, hint) => {
  const repository = makeRepository();
  repository.write('a.txt', 'work\n');
  const failing = `echo "${said}" >&2; exit 128`;
  await expect(withGitAfter(' read-tree ', failing, () => commitAll(repository.root, 'work'))).rejects.toMatchObject({
    hint: expect.stringContaining(hint),
  });
  expect(repository.git('log', '--format=%s')).toBe('start');
});

test('changes in a submodule are reported, and never committed', async () => {
  const { repository, lib } = withSubmodule();
  expect(await dirtySubmodules(await findCheckout(repository.root))).toEqual([]);
  lib.write('lib.txt', 'changed\n');
  expect(await dirtySubmodules(await findCheckout(repository.root))).toEqual(['lib']);
  lib.git('commit', '-qam', 'theirs');
  expect(await dirtySubmodules(await findCheckout(repository.root))).toEqual(['lib']);
  expect(await commitAll(repository.root, 'work')).toEqual({ kind: 'nothing' });
  expect(await dirtySubmodules(await findCheckout(makeRepository().root))).toEqual([]);
});

test('a branch without commits is distinguished from a repository without any', async () => {
  const repository = makeRepository();
  repository.git('switch', '-q', '-c', 'other');
  repository.git('switch', '-q', '--orphan', 'empty');
  expect(await inspectRoot(repository.root)).toMatchObject({
    kind: 'no_commits',
    message: expect.stringContaining('The branch empty, checked out in'),
    hint: expect.stringContaining('git switch'),
  });
});

test('file modes, links, odd names and names that differ only by case survive rollback and merge', async () => {
  const repository = makeRepository({ 'run.sh': '#!/bin/sh\n', 'plain.txt': 'x\n', 'Case.txt': 'upper\n' });
  const at = (path: string) => join(repository.root, path);
  symlinkSync('plain.txt', at('link'));
  repository.write('case.txt', 'lower\n');
  const odd = ['ünï cödé.txt', 'e\u0301.txt', 'tab\there.txt', '-dash.txt', 'new\nline.txt', 'quote".txt', '*.txt'];
  for (const name of odd) repository.write(name, `${name}\n`);
  await commitAll(repository.root, 'odd');
  const point = await checkpoint(repository.root);
  chmodSync(at('run.sh'), 0o755);
  rmSync(at('link'));
  writeFileSync(at('link'), 'a file now\n');
  rmSync(at('plain.txt'));
  symlinkSync('run.sh', at('plain.txt'));
  renameSync(at('Case.txt'), at('cAse.txt'));
  for (const name of odd) repository.remove(name);
  expect((await diffSince(repository.root, point)).files).toHaveLength(odd.length + 5);
  expect(await rollback(repository.root, point, { saveTo: join(makeFolder(), 'b.diff') })).toMatchObject({
    kind: 'done',
  });
  expect(repository.status()).toBe('');
  expect(statSync(at('run.sh')).mode & 0o111).toBe(0);
  expect([readlinkSync(at('link')), lstatSync(at('plain.txt')).isFile()]).toEqual(['plain.txt', true]);
  expect([repository.read('Case.txt'), repository.read('case.txt')]).toEqual(['upper\n', 'lower\n']);
  for (const name of odd) expect(repository.read(name)).toBe(`${name}\n`);
  const story = await openStory(repository, 'US-001');
  chmodSync(join(story.path, 'run.sh'), 0o755);
  rmSync(join(story.path, 'link'));
  symlinkSync('run.sh', join(story.path, 'link'));
  for (const name of odd) story.tree.write(name, 'merged\n');
  expect(await mergeStory(story)).toMatchObject({ kind: 'merged' });
  expect(statSync(at('run.sh')).mode & 0o111).not.toBe(0);
  expect([readlinkSync(at('link')), repository.status()]).toEqual(['run.sh', '']);
  for (const name of odd) expect(repository.read(name)).toBe('merged\n');
});

test('a large file is left out of checkpoints, listed by size, and not restored by a rollback, which says so', async () => {
  const repository = makeRepository({ 'a.txt': 'a\n', 'grown.bin': 'small\n' });
  const large = (mb: number) => Buffer.alloc(mb * 1024 * 1024, 1);
  repository.write('mine.bin', large(11));
  repository.write('gone.bin', large(11));
  const objects = () => Number(/size: (\d+)/.exec(repository.git('count-objects', '-v'))?.[1]);
  const before = objects();
  const point = checkpointSchema.parse(JSON.parse(JSON.stringify(await checkpoint(repository.root))));
  repository.write('made.bin', large(12));
  repository.write('grown.bin', large(13));
  repository.remove('gone.bin');
  repository.write('a.txt', 'work\n');
  const { stat, files, patch } = await diffSince(repository.root, point);
  expect([...files].sort()).toEqual(['a.txt', 'gone.bin', 'grown.bin', 'made.bin']);
  expect(stat).toMatchObject({ files: 4, insertions: 1, deletions: 1, largeBytes: 25 * 1024 * 1024 });
  expect(await patch()).toContain('# made.bin (12 MB) is too large to show');
  const result = await rollback(repository.root, point, { saveTo: join(makeFolder(), 'back.diff') });
  const notKept = ['grown.bin (13 MB)', 'made.bin (12 MB)', 'gone.bin (11 MB), gone'];
  expect(result).toMatchObject({ kind: 'done', files: ['a.txt'], notKept });
  expect([repository.read('a.txt'), statSync(join(repository.root, 'made.bin')).size]).toEqual([
    'a\n',
    12 * 1024 * 1024,
  ]);
  expect(objects() - before).toBeLessThan(100);
  expect(await commitAll(repository.root, 'with them')).toMatchObject({ kind: 'committed', stat: { files: 3 } });
}, 60_000);

test('a branch checked out elsewhere is reported, and failing hooks do not block a worktree', async () => {
  const repository = makeRepository();
  for (const hook of ['post-checkout', 'pre-commit', 'pre-rebase', 'reference-transaction', 'post-index-change']) {
    writeFileSync(join(repository.root, '.git', 'hooks', hook), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  }
  const story = await openStory(repository, 'US-001');
  story.tree.write('made.txt', 'x\n');
  const { root, branch } = story;
  const elsewhere = await openWorktree({ root, branch, path: join(makeFolder(), 'other') });
  expect(elsewhere).toMatchObject({ kind: 'blocked', why: expect.stringContaining(`${branch} is checked out in`) });
  const result = await mergeWorktree({ ...story, message: 'm', trailer: 'Bosun: x' });
  expect(result).toMatchObject({ kind: 'merged' });
});
