import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { askGit, wholeTreeMs } from '../../src/workspace/git/git.js';
import { readRebased } from '../../src/workspace/git/worktree-list.js';
import { excludeOwnFiles, findCheckout, foreignChanges } from '../../src/workspace/index.js';
import { readConflicts } from '../../src/workspace/worktree/rebase-record.js';
import { isFit } from '../../src/workspace/worktree/setup-marker.js';
import { leavePipe } from '../leave-pipe.js';
import { makeFolder, makeRepository } from './repository.js';

const exclude = '.git/info/exclude';

test('excluding own files keeps the person’s lines and is idempotent', async () => {
  const repository = makeRepository();
  repository.write(exclude, 'secret.txt');
  await excludeOwnFiles(repository.root);
  const once = repository.read(exclude);
  await excludeOwnFiles(repository.root);
  expect(repository.read(exclude)).toBe(once);
  expect(once.startsWith('secret.txt\n')).toBe(true);
  repository.write(exclude, `${once}later.txt\n`);
  await excludeOwnFiles(repository.root);
  expect(repository.read(exclude)).toBe(`${once}later.txt\n`);
});

test('concurrent excludes in a fresh repository do not collide', async () => {
  for (let round = 0; round < 5; round++) {
    const repository = makeRepository();
    await Promise.all(Array.from({ length: 6 }, () => excludeOwnFiles(repository.root)));
    expect(repository.read(exclude)).toContain('.ai/');
  }
});

test('an exclude file that an agent replaced by a pipe is refused, and does not block', async () => {
  const repository = makeRepository();
  rmSync(join(repository.root, exclude), { force: true });
  leavePipe(join(repository.root, exclude), 'planted\n');
  await expect(excludeOwnFiles(repository.root)).rejects.toThrow(/Cannot read .*exclude/);
});

test('notes and git files that an agent replaced by pipes are not read, and do not block', async () => {
  const { root } = makeRepository();
  const gitDir = join(root, '.git');
  mkdirSync(join(gitDir, 'rebase-merge'));
  leavePipe(join(gitDir, 'rebase-merge/head-name'), 'refs/heads/planted\n');
  leavePipe(join(gitDir, 'bosun-setup'), 'npm ci');
  leavePipe(join(gitDir, 'bosun-conflicts'), '');
  expect(await readRebased(gitDir)).toBe(null);
  expect(await isFit(root, 'npm ci')).toBe(false);
  await expect(readConflicts(gitDir)).rejects.toThrow(/Cannot read .*bosun-conflicts/);
});

test('only files that Bosun writes are excluded', async () => {
  const repository = makeRepository({ 'a.txt': 'one\n', '.ai/step-rules.yaml': 'old\n' });
  await excludeOwnFiles(repository.root);
  for (const own of [
    '.ai/STATE.json',
    '.ai/runs/r1/x',
    'workflow_edits/US-1.json',
    'workflow_state.json',
    'workflow_state.json.71.tmp',
    '.workflow/state.json',
    'progress.txt',
    'archive/r12/progress.txt',
    'logs/US-1/step-001.jsonl',
  ]) {
    repository.write(own, 'x');
  }
  expect(repository.status()).toBe('');
  const foreign = [
    'archive/readme.md',
    'logs/app.log',
    'src/.ai/x',
    'src/logs/US-1/step-001.jsonl',
    'src/progress.txt',
  ];
  for (const path of foreign) repository.write(path, 'x');
  repository.write('.ai/step-rules.yaml', 'new\n');
  const seen = repository
    .status()
    .split('\n')
    .map((line) => line.slice(3));
  expect(seen.sort()).toEqual(['.ai/step-rules.yaml', ...foreign].sort());
});

test('a worktree excludes own files in the shared exclude file', async () => {
  const repository = makeRepository();
  const worktree = join(makeFolder(), 'tree');
  repository.git('worktree', 'add', '-q', '-b', 'story', worktree);
  await excludeOwnFiles(worktree);
  repository.write('.ai/STATE.json', '{}');
  expect(repository.status()).toBe('');
});

test('two projects in one repository have separate lines, with special characters escaped', async () => {
  const repository = makeRepository({ 'one/a.txt': '1\n', 'two [x] é/a.txt': '2\n' });
  await excludeOwnFiles(join(repository.root, 'one'));
  await excludeOwnFiles(join(repository.root, 'two [x] é'));
  repository.write('one/.ai/STATE.json', '{}');
  repository.write('two [x] é/.ai/STATE.json', '{}');
  repository.write('.ai/theirs', 'x');
  expect(repository.status()).toBe('?? .ai/theirs');
});

test('foreign changes are the person’s, relative to the project’s folder', async () => {
  const repository = makeRepository({ 'shop/a.txt': '1\n', 'b.txt': '2\n' });
  const shop = join(repository.root, 'shop');
  expect(await foreignChanges(await findCheckout(shop))).toEqual([]);
  repository.write('shop/a.txt', 'changed\n');
  repository.write('b.txt', 'changed\n');
  repository.write('shop/neu ü.txt', 'x');
  repository.write('shop/pile/1', 'x');
  repository.write('shop/pile/2', 'x');
  repository.write('shop/.ai/STATE.json', '{}');
  expect(await foreignChanges(await findCheckout(shop))).toEqual(['../b.txt', 'a.txt', 'neu ü.txt', 'pile/']);
});

test('a tracked file that Bosun rewrites is not a foreign change, but another tracked file under .ai is', async () => {
  const repository = makeRepository({ '.ai/STATE.json': '{}', '.ai/step-rules.yaml': 'old\n' });
  repository.write('.ai/STATE.json', '{"new":1}');
  expect(await foreignChanges(await findCheckout(repository.root))).toEqual([]);
  repository.write('.ai/step-rules.yaml', 'new\n');
  expect(await foreignChanges(await findCheckout(repository.root))).toEqual(['.ai/step-rules.yaml']);
});

test('a nested repository is not a foreign change', async () => {
  const repository = makeRepository();
  repository.git('init', '-q', 'inner');
  expect(await foreignChanges(await findCheckout(repository.root))).toEqual([]);
});

test('a huge list of foreign changes is cut and marked', async () => {
  const repository = makeRepository();
  const entries = Array.from(
    { length: 10_050 },
    (_, n) => `100644 ${'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'}\tf${n}\n`,
  );
  repository.git('hash-object', '-w', '/dev/null');
  repository.write('.git/entries', entries.join(''));
  repository.git('-c', 'alias.feed=!git update-index --index-info < .git/entries', 'feed');
  const changes = await foreignChanges(await findCheckout(repository.root));
  expect(changes).toHaveLength(10_001);
  expect(changes.at(-1)).toBe('… and more');
});

test('git that an agent’s pipe stops ends early, and says which pipe', async () => {
  const repository = makeRepository();
  mkdirSync(join(repository.root, 'sub'));
  execFileSync('mkfifo', [join(repository.root, 'sub/.gitignore')]);
  const begun = performance.now();
  const waiting = askGit(repository.root, ['status', '--porcelain', '-uall'], { timeoutMs: wholeTreeMs });
  await expect(waiting).rejects.toThrow(`${join(repository.root, 'sub/.gitignore')} is a pipe`);
  expect(performance.now() - begun).toBeLessThan(wholeTreeMs / 3);
});
