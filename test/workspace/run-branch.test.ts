// The branch of a run: begun, left and brought where it is wanted, gone on with from every state in which the machine may die.
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  checkOutBranch,
  comparePage,
  landBranch,
  leaveBranch,
  openWorktree,
  planBranch,
  withoutCredentials,
} from '../../src/workspace/index.js';
import { snapshotsOf } from './dying-git.js';
import { makeFolder, makeRepository, openRepository, type Repository } from './repository.js';

const wanted = { key: 'r1-h', run: 'r1', task: 'Fix it', path: null };

async function begin(repository: Repository): Promise<{ readonly name: string; readonly base: string }> {
  const head = { sha: repository.git('rev-parse', 'HEAD'), branch: 'main' };
  const planned = await planBranch(repository.root, head, wanted);
  if ('kind' in planned) throw new Error(planned.why);
  await checkOutBranch(repository.root, planned);
  return planned;
}

test('creating a run’s branch is idempotent after an interruption at any point', async () => {
  const repository = makeRepository();
  const snapshots = await snapshotsOf([dirname(repository.root)], () => begin(repository));
  expect(snapshots.length).toBeGreaterThan(2);
  for (const snapshot of snapshots) {
    snapshot.restore();
    expect(await begin(repository)).toMatchObject({ name: 'bosun/r1-fix-it', base: 'main' });
    expect(repository.git('branch', '--format=%(refname:short)').split('\n')).toEqual(['bosun/r1-fix-it', 'main']);
    expect(repository.git('symbolic-ref', '--short', 'HEAD')).toBe('bosun/r1-fix-it');
  }
});

test('leaving a run’s branch is completed after an interruption at any point', async () => {
  const repository = makeRepository({ 'a.txt': 'one\n', 'gone.txt': 'x\n', 'same.txt': 'same\n' });
  const branch = await begin(repository);
  repository.write('a.txt', 'work\n');
  repository.write('new/made.txt', 'work\n');
  repository.remove('gone.txt');
  repository.git('add', '-A');
  repository.git('commit', '-qm', 'work');
  const snapshots = await snapshotsOf([dirname(repository.root)], () => leaveBranch(repository.root, branch));
  expect(snapshots.length).toBeGreaterThan(3);
  for (const snapshot of snapshots) {
    snapshot.restore();
    expect(await leaveBranch(repository.root, branch)).toEqual({ kind: 'left', branch: 'kept' });
    expect(repository.git('symbolic-ref', '--short', 'HEAD')).toBe('main');
    expect(repository.status()).toBe('');
    expect([repository.read('a.txt'), repository.read('gone.txt')]).toEqual(['one\n', 'x\n']);
    expect([repository.has('new/made.txt'), repository.has('.git/bosun-leaving')]).toEqual([false, false]);
  }
}, 60_000);

test('landing a run’s work on a moved base happens once, after an interruption at any point', async () => {
  const repository = makeRepository({ 'a.txt': 'one\n', 'mine.txt': 'x\n' });
  const { root } = repository;
  const path = join(makeFolder(), 'worktrees', 'run');
  const head = { sha: repository.git('rev-parse', 'HEAD'), branch: 'main' };
  const planned = await planBranch(root, head, { ...wanted, path });
  if ('kind' in planned) throw new Error(planned.why);
  const { name, base, at } = planned;
  expect(await openWorktree({ root, path, branch: name, base: at })).toMatchObject({ kind: 'opened' });
  const tree = openRepository(path);
  tree.write('a.txt', 'work\n');
  tree.git('commit', '-qam', 'work');
  repository.write('other.txt', 'x\n');
  repository.git('add', '-A');
  repository.git('commit', '-qm', 'other');
  repository.write('mine.txt', 'of the person\n');
  const land = () => landBranch({ root, path, name, base, key: wanted.key });
  const snapshots = await snapshotsOf([dirname(root), dirname(dirname(path))], land);
  expect(snapshots.length).toBeGreaterThan(4);
  for (const snapshot of snapshots) {
    snapshot.restore();
    expect(await land()).toMatchObject({ kind: 'landed', count: 1, stat: { files: 1 } });
    expect(repository.git('log', '--format=%s', 'main').split('\n')).toEqual(['work', 'other', 'start']);
    expect(repository.status()).toBe(' M mine.txt');
    expect([repository.read('a.txt'), repository.read('mine.txt')]).toEqual(['work\n', 'of the person\n']);
  }
}, 120_000);

test.each([
  ['https://github.com/ada/shop.git', 'https://github.com/ada/shop/compare/main...bosun/r1-fix%23?expand=1'],
  ['git@github.com:ada/shop.git', 'https://github.com/ada/shop/compare/main...bosun/r1-fix%23?expand=1'],
  [
    'ssh://git@github.example.org:22/ada/shop',
    'https://github.example.org/ada/shop/compare/main...bosun/r1-fix%23?expand=1',
  ],
  [
    'https://ada:s3cret@gitlab.com/group/sub/shop.git/',
    'https://gitlab.com/group/sub/shop/-/merge_requests/new?merge_request%5Bsource_branch%5D=bosun%2Fr1-fix%23&merge_request%5Btarget_branch%5D=main',
  ],
  ['https://example.com/ada/shop.git', null],
  ['/srv/git/shop.git', null],
  ['file:///srv/git/shop.git', null],
])('the pull request page for %s is %s', (url, page) => {
  expect(comparePage(url, 'main', 'bosun/r1-fix#')).toBe(page);
});

test.each([
  ['fatal: https://ada:s3cret@host/x', 'fatal: https://host/x'],
  ["to 'ssh://ada@host:22/x'", "to 'ssh://host:22/x'"],
  ['http://ada:p@ss@host/x and https://t0ken@h/y', 'http://host/x and https://h/y'],
  ['mail ada@example.com about https://host/x@y', 'mail ada@example.com about https://host/x@y'],
])('credentials are removed from "%s": "%s"', (text, shown) => {
  expect(withoutCredentials(text)).toBe(shown);
});
