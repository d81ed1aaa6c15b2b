import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  commitAll,
  excludeOwnFiles,
  findCheckout,
  foreignChanges,
  restoreStash,
  stashForeign,
} from '../../src/workspace/index.js';
import { makeRepository } from './repository.js';

const files = { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n', '.ai/STATE.json': 'old' };

async function putAside(repository: ReturnType<typeof makeRepository>): Promise<string> {
  const stash = await stashForeign(repository.root, 'before run r1');
  if (stash.kind !== 'stashed') throw new Error('nothing was put aside');
  return stash.sha;
}

test('stashes a person’s changes and restores them after the run, including their staging', async () => {
  const repository = makeRepository(files);
  repository.write('a.txt', 'staged\n');
  repository.git('add', 'a.txt');
  repository.write('b.txt', 'loose\n');
  repository.write('neu ü.txt', 'new\n');
  repository.write('.ai/STATE.json', 'present');
  repository.write('.ai/runs/r1/x', 'present');
  await excludeOwnFiles(repository.root);
  const before = repository.status();
  const stash = await stashForeign(repository.root, 'before run r1');
  const sha = repository.git('rev-parse', 'refs/stash');
  expect(stash).toEqual({
    kind: 'stashed',
    ref: 'stash@{0}',
    sha,
    message: expect.stringContaining(`git stash apply --index ${sha.slice(0, 10)}`),
  });
  expect(await foreignChanges(await findCheckout(repository.root))).toEqual([]);
  expect(repository.has('neu ü.txt')).toBe(false);
  expect(repository.read('.ai/STATE.json')).toBe('present');
  expect(repository.read('.ai/runs/r1/x')).toBe('present');

  repository.write('c.txt', 'work of the run\n');
  await commitAll(repository.root, 'work');
  expect(await restoreStash(repository.root, sha)).toEqual({ kind: 'restored' });
  expect(repository.status()).toBe(before);
  expect(repository.git('stash', 'list')).toBe('');
});

test('stashes nothing in a clean checkout', async () => {
  const repository = makeRepository(files);
  repository.write('.ai/STATE.json', 'present');
  expect(await stashForeign(repository.root, 'x')).toEqual({ kind: 'nothing' });
});

test('keeps changes that no longer apply in the stash, and leaves the checkout unchanged', async () => {
  const repository = makeRepository(files);
  repository.write('a.txt', 'mine\n');
  repository.write('b.txt', 'mine\n');
  repository.write('new.txt', 'mine\n');
  const sha = await putAside(repository);
  repository.write('a.txt', 'of the run\n');
  repository.git('commit', '-qam', 'work');
  repository.write('c.txt', 'loose\n');
  const before = repository.status();
  expect(await restoreStash(repository.root, sha)).toMatchObject({
    kind: 'left',
    hint: expect.stringContaining('git stash apply'),
  });
  expect(repository.status()).toBe(before);
  expect(repository.read('a.txt')).toBe('of the run\n');
  expect(repository.has('new.txt')).toBe(false);
  expect(repository.git('rev-parse', 'refs/stash')).toBe(sha);
});

test('does not overwrite a file of the run with a stashed untracked file', async () => {
  const repository = makeRepository(files);
  repository.write('new.txt', 'mine\n');
  const sha = await putAside(repository);
  repository.write('new.txt', 'of the run\n');
  await commitAll(repository.root, 'work');
  expect(await restoreStash(repository.root, sha)).toMatchObject({ kind: 'left' });
  expect(repository.read('new.txt')).toBe('of the run\n');
  expect(repository.status()).toBe('');
});

test('drops only its own stash, at any position in the list', async () => {
  const repository = makeRepository(files);
  repository.write('a.txt', 'mine\n');
  const sha = await putAside(repository);
  repository.write('b.txt', 'another\n');
  repository.git('stash', 'push', '-q', '-m', 'theirs');
  expect(await restoreStash(repository.root, sha)).toEqual({ kind: 'restored' });
  expect(repository.git('stash', 'list')).toContain('theirs');
  expect(repository.git('stash', 'list').split('\n')).toHaveLength(1);
});

test('reports a stash that is gone', async () => {
  const repository = makeRepository(files);
  expect(await restoreStash(repository.root, '1'.repeat(40))).toMatchObject({ kind: 'gone' });
});

test('stashes the whole checkout from a subfolder', async () => {
  const repository = makeRepository({ 'shop/a.txt': 'a\n', 'b.txt': 'b\n' });
  repository.write('b.txt', 'mine\n');
  repository.write('shop/new.txt', 'mine\n');
  expect(await stashForeign(join(repository.root, 'shop'), 'x')).toMatchObject({ kind: 'stashed' });
  expect(repository.status()).toBe('');
});
