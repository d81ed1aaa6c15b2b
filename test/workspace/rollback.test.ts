import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { savePatch } from '../../src/workspace/checkpoint/patch-file.js';
import { findCheckout } from '../../src/workspace/git/checkout.js';
import { checkpoint, rollback } from '../../src/workspace/index.js';
import { countingGit, withGitAfter } from './dying-git.js';
import { addRemote, makeFolder, makeRepository, openRepository, type Repository } from './repository.js';

function saveName(): { saveTo: string } {
  return { saveTo: join(makeFolder(), 'failures', 'US-1 step.diff') };
}

/** Work of every kind: committed, staged, loose, new, deleted, binary. */
function work(repository: Repository): void {
  repository.write('a.txt', 'committed work\n');
  repository.write('sub/neu ü.txt', 'new\n');
  repository.git('add', '-A');
  repository.git('commit', '-qm', 'work');
  repository.write('b.txt', 'staged work\n');
  repository.git('add', 'b.txt');
  repository.write('bin', new Uint8Array([0, 255, 1, 254]));
  repository.remove('c.txt');
}

const files = { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n', 'd.txt': 'd\n', '.gitignore': '.env\n' };

test('a failed diff leaves no partial file behind', async () => {
  const repository = makeRepository(files);
  const point = await checkpoint(repository.root);
  const { saveTo } = saveName();
  const missing = '1'.repeat(40);
  await expect(savePatch(await findCheckout(repository.root), point, missing, saveTo)).rejects.toThrow();
  expect(readdirSync(dirname(saveTo))).toEqual([]);
});

test('a rollback reverts changes of every kind, and the saved diff restores them', async () => {
  const repository = makeRepository(files);
  repository.write('d.txt', 'loose change of the person\n');
  repository.write('own.txt', 'untracked file of the person\n');
  repository.write('.env', 'secret');
  const status = repository.status();
  const point = await checkpoint(repository.root);
  work(repository);
  const options = saveName();
  const result = await rollback(repository.root, point, options);
  expect(result).toEqual({
    kind: 'done',
    files: ['a.txt', 'b.txt', 'bin', 'c.txt', 'sub/neu ü.txt'],
    notKept: [],
    savedTo: options.saveTo,
  });
  expect(repository.status()).toBe(status);
  expect(repository.git('rev-parse', 'HEAD')).toBe(point.head);
  expect(repository.git('branch', '--show-current')).toBe('main');
  expect(repository.read('own.txt')).toBe('untracked file of the person\n');
  expect(repository.read('.env')).toBe('secret');
  expect(repository.has('sub')).toBe(false);
  expect(statSync(options.saveTo).mode & 0o777).toBe(0o600);
  expect(repository.git('stash', 'list')).toBe('');
  expect(repository.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');

  repository.git('apply', options.saveTo);
  expect(repository.read('a.txt')).toBe('committed work\n');
  expect(repository.read('b.txt')).toBe('staged work\n');
  expect(repository.read('sub/neu ü.txt')).toBe('new\n');
  expect(repository.has('c.txt')).toBe(false);
  expect([...readFileSync(join(repository.root, 'bin'))]).toEqual([0, 255, 1, 254]);
});

test('a rollback restores the index of the checkpoint', async () => {
  const repository = makeRepository(files);
  repository.write('a.txt', 'staged\n');
  repository.write('new.txt', 'staged new\n');
  repository.git('add', '-A');
  repository.write('a.txt', 'staged and changed again\n');
  const before = [repository.status(), repository.git('ls-files', '--stage')];
  const point = await checkpoint(repository.root);
  work(repository);
  expect(await rollback(repository.root, point, saveName())).toMatchObject({ kind: 'done' });
  expect([repository.status(), repository.git('ls-files', '--stage')]).toEqual(before);
  expect(repository.read('a.txt')).toBe('staged and changed again\n');
});

test('a rollback does not rewrite files that did not change', async () => {
  const repository = makeRepository(files);
  repository.write('own.txt', 'x');
  const point = await checkpoint(repository.root);
  const look = () => ['d.txt', 'own.txt'].map((path) => statSync(join(repository.root, path)).ctimeMs);
  const before = look();
  work(repository);
  await rollback(repository.root, point, saveName());
  expect(look()).toEqual(before);
});

test('a rollback without changes saves nothing, and a second rollback does nothing', async () => {
  const repository = makeRepository(files);
  const point = await checkpoint(repository.root);
  const options = saveName();
  expect(await rollback(repository.root, point, options)).toEqual({
    kind: 'done',
    files: [],
    savedTo: null,
    notKept: [],
  });
  work(repository);
  await rollback(repository.root, point, options);
  expect(await rollback(repository.root, point, options)).toEqual({
    kind: 'done',
    files: [],
    savedTo: null,
    notKept: [],
  });
});

test('a rollback to a clean checkpoint takes nine git calls and leaves no stale index', async () => {
  const repository = makeRepository(files);
  const point = await checkpoint(repository.root);
  repository.write('a.txt', 'work\n');
  repository.write('new.txt', 'work\n');
  const [result, calls] = await countingGit(() => rollback(repository.root, point, saveName()));
  expect(result).toMatchObject({ kind: 'done', files: ['a.txt', 'new.txt'] });
  expect(calls).toBe(9);
  expect(repository.git('diff-files')).toBe('');
});

test('a rollback to a clean checkpoint unstages what the work staged', async () => {
  const ways = [
    ['add', 'a.txt'],
    ['add', 'new.txt'],
    ['add', '--intent-to-add', 'new.txt'],
    ['rm', '-q', '--cached', 'b.txt'],
  ];
  for (const way of ways) {
    const repository = makeRepository(files);
    const entries = repository.git('ls-files', '--stage');
    const point = await checkpoint(repository.root);
    repository.write('a.txt', 'work\n');
    repository.write('new.txt', 'work\n');
    repository.git(...way);
    expect(await rollback(repository.root, point, saveName())).toMatchObject({ kind: 'done' });
    expect(repository.git('ls-files', '--stage')).toBe(entries);
    expect(repository.status()).toBe('');
  }
});

test('a rollback refused by git’s dry run leaves no patch', async () => {
  const repository = makeRepository(files);
  const point = await checkpoint(repository.root);
  repository.write('a.txt', 'work\n');
  const options = saveName();
  const changes = `echo later > "${repository.root}/a.txt"`;
  const result = await withGitAfter(' --dry-run ', changes, () => rollback(repository.root, point, options));
  expect(result).toMatchObject({ kind: 'conflict', why: expect.stringContaining('a.txt') });
  expect(repository.read('a.txt')).toBe('later\n');
  expect(readdirSync(dirname(options.saveTo))).toEqual([]);
});

test('a rollback never overwrites an earlier diff file', async () => {
  const repository = makeRepository(files);
  const point = await checkpoint(repository.root);
  const options = saveName();
  repository.write('first.txt', '1');
  await rollback(repository.root, point, options);
  repository.write('second.txt', '2');
  expect(await rollback(repository.root, point, options)).toMatchObject({ savedTo: `${options.saveTo}.2` });
  expect(readFileSync(options.saveTo, 'utf8')).toContain('first.txt');
});

test('a rollback killed after it restored the files is completed by the next one', async () => {
  const repository = makeRepository(files);
  const point = await checkpoint(repository.root);
  work(repository);
  repository.git('read-tree', '-u', '--reset', point.tree);
  repository.git('reset', '-q');
  expect(await rollback(repository.root, point, saveName())).toMatchObject({ kind: 'done' });
  expect(repository.git('rev-parse', 'HEAD')).toBe(point.head);
  expect(repository.status()).toBe('');
});

test('a rollback keeps an ignored file that the work un-ignored', async () => {
  const repository = makeRepository({ ...files, 'sub/.gitignore': 'cache/\n' });
  repository.write('.env', 'secret');
  repository.write('sub/cache/x', 'kept');
  const point = await checkpoint(repository.root);
  repository.write('.gitignore', '');
  repository.remove('sub/.gitignore');
  repository.write('new.txt', 'x');
  expect(await rollback(repository.root, point, saveName())).toMatchObject({
    files: ['.gitignore', 'new.txt', 'sub/.gitignore'],
  });
  expect(repository.read('.env')).toBe('secret');
  expect(repository.read('sub/cache/x')).toBe('kept');
  expect(repository.status()).toBe('');
});

test('a rollback restores an untracked file that the work made git ignore', async () => {
  const repository = makeRepository(files);
  repository.write('own.txt', 'mine\n');
  const point = await checkpoint(repository.root);
  repository.write('.gitignore', '.env\nown.txt\n');
  repository.write('own.txt', 'changed\n');
  expect(await rollback(repository.root, point, saveName())).toMatchObject({ files: ['.gitignore', 'own.txt'] });
  expect(repository.read('own.txt')).toBe('mine\n');
});

test('a rollback keeps Bosun’s own files, tracked or not', async () => {
  const repository = makeRepository({ ...files, '.ai/STATE.json': 'old' });
  const point = await checkpoint(repository.root);
  work(repository);
  repository.write('.ai/STATE.json', 'present');
  repository.write('.ai/runs/r1/notes', 'present');
  expect(await rollback(repository.root, point, saveName())).toMatchObject({ kind: 'done' });
  expect(repository.read('.ai/STATE.json')).toBe('present');
  expect(repository.read('.ai/runs/r1/notes')).toBe('present');
});

test('a rollback leaves submodules alone', async () => {
  const inner = makeRepository({ 'lib.txt': '1\n' });
  const repository = makeRepository(files);
  repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'lib');
  repository.git('commit', '-qm', 'with lib');
  const point = await checkpoint(repository.root);
  const lib = openRepository(join(repository.root, 'lib'));
  lib.write('lib.txt', '2\n');
  lib.git('commit', '-qam', 'moved');
  lib.write('loose.txt', 'x');
  work(repository);
  expect(await rollback(repository.root, point, saveName())).toMatchObject({ kind: 'done' });
  expect(lib.read('lib.txt')).toBe('2\n');
  expect(lib.read('loose.txt')).toBe('x');
  expect(repository.read('a.txt')).toBe('a\n');
});

test('a rollback in a subfolder or a worktree affects that checkout only', async () => {
  const repository = makeRepository({ 'shop/a.txt': 'a\n', 'b.txt': 'b\n' });
  const tree = openRepository(join(makeFolder(), 'story'));
  repository.git('worktree', 'add', '-q', '-b', 'story', tree.root);
  repository.write('b.txt', 'of the main checkout\n');
  const point = await checkpoint(join(tree.root, 'shop'));
  tree.write('shop/a.txt', 'work\n');
  tree.git('commit', '-qam', 'work');
  tree.write('b.txt', 'work\n');
  expect(await rollback(join(tree.root, 'shop'), point, saveName())).toMatchObject({ files: ['../b.txt', 'a.txt'] });
  expect(tree.status()).toBe('');
  expect(tree.git('rev-parse', 'HEAD')).toBe(point.head);
  expect(repository.read('b.txt')).toBe('of the main checkout\n');
});

test('a rollback refuses after a branch switch, rewritten history, a push or a begun merge', async () => {
  const cases: readonly (readonly [string, (repository: Repository) => void])[] = [
    ['other is checked out', (r) => r.git('checkout', '-q', '-b', 'other')],
    ['no branch is checked out', (r) => r.git('checkout', '-q', '--detach')],
    ['history was rewritten', (r) => r.git('commit', '-q', '--amend', '-m', 'other words')],
    [
      '1 of the 2 commits',
      (r) => {
        r.git('commit', '-q', '--allow-empty', '-m', 'one');
        r.git('push', '-q', 'origin', 'main');
        r.git('commit', '-q', '--allow-empty', '-m', 'two');
      },
    ],
    ['a merge is unfinished', (r) => r.git('merge', '-q', '--no-commit', '--no-ff', 'side')],
    ['another git process', (r) => r.write('.git/index.lock', '')],
  ];
  for (const [why, change] of cases) {
    const repository = makeRepository(files);
    addRemote(repository);
    repository.git('checkout', '-q', '-b', 'side');
    repository.git('commit', '-q', '--allow-empty', '-m', 'side');
    repository.git('checkout', '-q', 'main');
    const point = await checkpoint(repository.root);
    repository.write('a.txt', 'work\n');
    change(repository);
    const head = repository.git('rev-parse', 'HEAD');
    const options = saveName();
    const result = await rollback(repository.root, point, options);
    expect(result).toMatchObject({
      kind: 'conflict',
      why: expect.stringContaining(why),
      hint: expect.stringMatching(/\w/),
    });
    expect([repository.read('a.txt'), repository.git('rev-parse', 'HEAD')]).toEqual(['work\n', head]);
    expect(existsSync(options.saveTo)).toBe(false);
  }
});

test('a rollback refuses if an ignored file would be lost, and touches nothing', async () => {
  const repository = makeRepository(files);
  const point = await checkpoint(repository.root);
  repository.remove('a.txt');
  repository.write('a.txt/.env', 'secret');
  repository.write('b.txt', 'work\n');
  expect(await rollback(repository.root, point, saveName())).toMatchObject({ kind: 'conflict' });
  expect(repository.read('a.txt/.env')).toBe('secret');
  expect(repository.read('b.txt')).toBe('work\n');
});

test('a rollback to a pruned checkpoint is a conflict', async () => {
  const repository = makeRepository(files);
  const point = { ...(await checkpoint(repository.root)), tree: '1'.repeat(40) };
  expect(await rollback(repository.root, point, saveName())).toMatchObject({
    kind: 'conflict',
    why: expect.stringContaining('gc'),
  });
});

test('a rollback reverts nothing if the diff cannot be saved', async () => {
  const repository = makeRepository(files);
  const point = await checkpoint(repository.root);
  repository.write('a.txt', 'work\n');
  const saveTo = join(repository.root, 'a.txt', 'x.diff');
  await expect(rollback(repository.root, point, { saveTo })).rejects.toMatchObject({ code: 'disk' });
  expect(repository.read('a.txt')).toBe('work\n');
});

test('a rollback handles non-UTF-8 names, CRLF line ends and large patches', async () => {
  const repository = makeRepository({ ...files, 'crlf.txt': 'x\n' });
  repository.git('config', 'core.autocrlf', 'true');
  repository.git('config', 'core.safecrlf', 'true');
  const odd = Buffer.concat([Buffer.from(`${repository.root}/odd `), Buffer.from([0xff, 0xfe])]);
  writeFileSync(odd, 'before\n');
  repository.write('crlf.txt', 'x\r\ny\r\n');
  const point = await checkpoint(repository.root);
  writeFileSync(odd, 'after\n');
  repository.write('crlf.txt', 'x\r\ny\r\nz\r\n');
  repository.write('big', randomBytes(8 * 1024 * 1024));
  const options = saveName();
  expect(await rollback(repository.root, point, options)).toMatchObject({ kind: 'done' });
  expect(readFileSync(odd, 'utf8')).toContain('before');
  expect(repository.read('crlf.txt')).toBe('x\r\ny\r\n');
  expect(repository.has('big')).toBe(false);
  repository.git('apply', options.saveTo);
  expect(readFileSync(odd, 'utf8')).toContain('after');
  expect(statSync(join(repository.root, 'big')).size).toBe(8 * 1024 * 1024);
});

test('a rollback keeps a sparse checkout sparse', async () => {
  const repository = makeRepository({ ...files, 'seen/x': '1\n', 'unseen/x': '1\n' });
  repository.git('sparse-checkout', 'set', 'seen');
  const point = await checkpoint(repository.root);
  repository.write('seen/x', 'work\n');
  repository.git('commit', '-qam', 'work');
  expect(await rollback(repository.root, point, saveName())).toMatchObject({ files: ['seen/x'] });
  expect(repository.has('unseen')).toBe(false);
  expect(repository.status()).toBe('');
});
