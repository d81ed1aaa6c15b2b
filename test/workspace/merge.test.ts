import { chmodSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { excludeOwnFiles, openWorktree } from '../../src/workspace/index.js';
import { countingGit, withGitAfter } from './dying-git.js';
import { makeFolder, makeRepository, openRepository, type Repository, withoutIdentity } from './repository.js';
import { expectCleanedUp, mergeStory, openStory, subjects } from './story.js';

const timeoutMs = 60_000;

test('merges committed and uncommitted work as one commit, and removes the worktree', async () => {
  const repository = makeRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const story = await openStory(repository, 'US-001');
  story.tree.write('a.txt', 'work\n');
  story.tree.git('commit', '-qam', 'step one');
  story.tree.remove('b.txt');
  story.tree.git('commit', '-qam', 'step two');
  story.tree.write('neu ü.txt', 'loose\n');
  const result = await mergeStory(story);
  const commit = repository.git('rev-parse', 'main');
  expect(result).toEqual({ kind: 'merged', commit, stat: { files: 3, insertions: 2, deletions: 2 }, note: null });
  expect(repository.git('log', '-1', '--format=%B')).toBe('feat: ralph/US-001\n\nBosun: ralph/US-001 op1');
  expect(subjects(repository)).toEqual(['feat: ralph/US-001', 'start']);
  expect(repository.status()).toBe('');
  expect([repository.read('a.txt'), repository.has('b.txt'), repository.read('neu ü.txt')]).toEqual([
    'work\n',
    false,
    'loose\n',
  ]);
  expectCleanedUp(repository, story);
});

test('merges independent stories one after another onto a moving base', async () => {
  const repository = makeRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const [one, two] = [await openStory(repository, 'US-001'), await openStory(repository, 'US-002')];
  one.tree.write('a.txt', 'one\n');
  two.tree.write('b.txt', 'two\n');
  two.tree.git('commit', '-qam', 'two');
  expect(await mergeStory(one)).toMatchObject({ kind: 'merged' });
  repository.write('c.txt', 'person\n');
  repository.git('add', '-A');
  repository.git('commit', '-qm', 'of the person');
  expect(await mergeStory(two)).toMatchObject({ stat: { files: 1, insertions: 1, deletions: 1 } });
  expect(subjects(repository)).toEqual(['feat: ralph/US-002', 'of the person', 'feat: ralph/US-001', 'start']);
  expect(['a.txt', 'b.txt', 'c.txt'].map((path) => repository.read(path))).toEqual(['one\n', 'two\n', 'person\n']);
  expect(repository.status()).toBe('');
});

test('merges a story onto a moved base as Bosun if the person has set no identity', async () => {
  const repository = makeRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const story = await openStory(repository, 'US-001');
  story.tree.write('a.txt', 'work\n');
  repository.write('b.txt', 'person\n');
  repository.git('commit', '-qam', 'of the person');
  await withoutIdentity(async () => expect(await mergeStory(story)).toMatchObject({ kind: 'merged' }));
  expect(repository.git('log', '-1', '--format=%an <%ae> %cn')).toBe('Bosun <bosun@localhost> Bosun');
});

test('merges a story onto a moved base with 41 calls of git', async () => {
  const repository = makeRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const story = await openStory(repository, 'US-001');
  story.tree.write('a.txt', 'work\n');
  repository.write('b.txt', 'person\n');
  repository.git('commit', '-qam', 'of the person');
  const [result, calls] = await countingGit(() => mergeStory(story));
  expect(result).toMatchObject({ kind: 'merged' });
  expect(calls).toBe(41);
  expect(repository.git('diff-files')).toBe('');
});

test('merges over a file that only looks changed', async () => {
  const repository = makeRepository({ 'a.txt': 'a\n' });
  const story = await openStory(repository, 'US-001');
  story.tree.write('a.txt', 'work\n');
  utimesSync(join(repository.root, 'a.txt'), 1_000, 1_000);
  expect(await mergeStory(story)).toMatchObject({ kind: 'merged' });
  expect(repository.read('a.txt')).toBe('work\n');
  expect(repository.status()).toBe('');
});

test('keeps what a person writes just before git moves the files', async () => {
  for (const path of ['a.txt', 'new.txt']) {
    const repository = makeRepository({ 'a.txt': 'a\n' });
    const story = await openStory(repository, 'US-001');
    story.tree.write('a.txt', 'work\n');
    story.tree.write('new.txt', 'work\n');
    const writes = `echo person > "${repository.root}/${path}"`;
    const result = await withGitAfter('read-tree -m -u', writes, () => mergeStory(story));
    expect(result).toMatchObject({ kind: 'blocked' });
    expect(repository.read(path)).toBe('person\n');
    expect(subjects(repository)).toEqual(['start']);
    expect(repository.git('diff', '--cached')).toBe('');
  }
});

test('keeps an ignored file in the place of a new one', async () => {
  const repository = makeRepository({ 'a.txt': 'a\n' });
  const story = await openStory(repository, 'US-001');
  story.tree.write('.env', 'work\n');
  repository.write('.git/info/exclude', '.env\n');
  repository.write('.env', 'secret\n');
  story.tree.git('add', '--force', '.env');
  story.tree.git('commit', '-qm', 'work');
  expect(await mergeStory(story)).toMatchObject({ kind: 'blocked', why: expect.stringContaining('.env') });
  expect(repository.read('.env')).toBe('secret\n');
});

test('merges nothing if the story has no net change', async () => {
  const repository = makeRepository();
  const story = await openStory(repository, 'US-001');
  story.tree.write('a.txt', 'there\n');
  story.tree.git('commit', '-qam', 'there');
  story.tree.git('revert', '--no-edit', 'HEAD');
  story.tree.write('.ai/HANDOFF.md', 'x');
  const nothing = { kind: 'merged', commit: null, stat: null, note: null };
  expect(await mergeStory(story)).toEqual(nothing);
  expect(subjects(repository)).toEqual(['start']);
  expectCleanedUp(repository, story);
  expect(await mergeStory(story)).toEqual(nothing);
  expect(await mergeStory(story, 'another')).toMatchObject({ kind: 'blocked' });
});

test('never merges Bosun’s own files, even tracked, committed or forced ones', async () => {
  const repository = makeRepository({ 'shop/a.txt': 'a\n', 'shop/.ai/STATE.json': 'old', 'c.txt': 'c\n' });
  const root = join(repository.root, 'shop');
  await excludeOwnFiles(root);
  const story = { ...(await openStory(repository, 'US-001')), root };
  repository.write('c.txt', 'base moves\n');
  repository.git('commit', '-qam', 'base');
  story.tree.write('shop/a.txt', 'work\n');
  story.tree.write('shop/.ai/STATE.json', 'committed');
  story.tree.write('shop/.ai/notes.md', 'forced');
  story.tree.git('add', '-f', '-A');
  story.tree.git('commit', '-qm', 'all');
  story.tree.write('shop/.ai/STATE.json', 'loose');
  expect(await mergeStory(story)).toMatchObject({ kind: 'merged', stat: { files: 1 } });
  expect(repository.git('diff', '--name-only', 'HEAD~1', 'HEAD')).toBe('shop/a.txt');
  expect(repository.status()).toBe('');
});

test('keeps a person’s unrelated changes, including their staging', async () => {
  const repository = makeRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' });
  const story = await openStory(repository, 'US-001');
  story.tree.write('a.txt', 'work\n');
  repository.write('b.txt', 'staged\n');
  repository.git('add', 'b.txt');
  repository.write('c.txt', 'loose\n');
  repository.write('own.txt', 'new\n');
  const before = repository.status();
  expect(await mergeStory(story)).toMatchObject({ kind: 'merged' });
  expect(repository.status()).toBe(before);
  expect(repository.read('a.txt')).toBe('work\n');
  expect(repository.git('show', '--stat', '--format=', 'main')).not.toContain('b.txt');
});

test(
  'does nothing while a person’s changes are in the way, and succeeds later',
  async () => {
    type Case = readonly [string, (repository: Repository) => unknown, (repository: Repository) => unknown];
    const cases: readonly Case[] = [
      ['a.txt', (r) => r.write('a.txt', 'mine\n'), (r) => r.git('checkout', '-q', 'a.txt')],
      [
        'a.txt',
        (r) => {
          r.write('a.txt', 'staged\n');
          r.git('add', 'a.txt');
          r.write('a.txt', 'one\n');
        },
        (r) => r.git('reset', '-q', '--hard'),
      ],
      ['new.txt', (r) => r.write('new.txt', 'mine\n'), (r) => r.remove('new.txt')],
      ['folder', (r) => r.write('folder/.env', 'ignored'), (r) => r.remove('folder')],
      ['another git process', (r) => r.write('.git/index.lock', ''), (r) => r.remove('.git/index.lock')],
      ['main.lock', (r) => r.write('.git/refs/heads/main.lock', ''), (r) => r.remove('.git/refs/heads/main.lock')],
      ['no branch', (r) => r.git('checkout', '-q', '--detach'), (r) => r.git('checkout', '-q', 'main')],
    ];
    for (const [why, hinder, free] of cases) {
      const repository = makeRepository({ 'a.txt': 'one\n', '.gitignore': '.env\n' });
      const story = await openStory(repository, 'US-001');
      story.tree.write('a.txt', 'work\n');
      story.tree.write('new.txt', 'work\n');
      story.tree.write('folder', 'work\n');
      hinder(repository);
      const before = [repository.status(), repository.git('rev-parse', 'main')];
      // What is not a refusal of its own is git's, and thrown.
      const result = await mergeStory(story).catch((error: Error) => ({ kind: 'blocked', why: error.message }));
      expect(result).toMatchObject({ kind: 'blocked', why: expect.stringContaining(why) });
      expect([repository.status(), repository.git('rev-parse', 'main')]).toEqual(before);
      expect(story.tree.read('new.txt')).toBe('work\n');
      free(repository);
      expect(await mergeStory(story)).toMatchObject({ kind: 'merged' });
      expect(repository.status()).toBe('');
    }
  },
  timeoutMs,
);

test('leaves a worktree in an unexpected state alone', async () => {
  type Case = readonly [string, (repository: Repository, tree: Repository) => unknown];
  const cases: readonly Case[] = [
    ['other is checked out', (_, t) => t.git('checkout', '-q', '-b', 'other')],
    ['no branch is checked out', (_, t) => t.git('checkout', '-q', '--detach')],
    ['is checked out in', (r, t) => [t.git('checkout', '-q', '--detach'), r.git('checkout', '-q', 'ralph/US-001')]],
    ['another git process', (_, t) => writeFileSync(t.git('rev-parse', '--git-path', 'index.lock'), '')],
    ['a merge is unfinished', (_, t) => t.git('merge', '-q', '--no-commit', '--no-ff', 'side')],
    ['no longer exists', (_, t) => t.remove('.')],
  ];
  for (const [why, change] of cases) {
    const repository = makeRepository();
    repository.git('branch', 'side', repository.git('commit-tree', 'HEAD^{tree}', '-p', 'HEAD', '-m', 'side'));
    const story = await openStory(repository, 'US-001');
    story.tree.write('new.txt', 'work\n');
    change(repository, story.tree);
    expect(await mergeStory(story)).toMatchObject({
      kind: 'blocked',
      why: expect.stringContaining(why),
      hint: expect.stringMatching(/\w/),
    });
    expect(repository.git('rev-parse', 'ralph/US-001')).toBe(repository.git('rev-parse', 'main'));
  }
});

test('ignores the person’s hooks, editor, template and rebase settings', async () => {
  const repository = makeRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const story = await openStory(repository, 'US-001');
  for (const name of [
    'pre-commit',
    'commit-msg',
    'pre-rebase',
    'post-checkout',
    'post-rewrite',
    'reference-transaction',
  ]) {
    repository.write(`.git/hooks/${name}`, `#!/bin/sh\necho ${name} >> "${repository.root}/.git/called"\n`);
    chmodSync(join(repository.root, '.git/hooks', name), 0o755);
  }
  for (const [name, value] of [
    ['core.editor', 'false'],
    ['rebase.autoStash', 'true'],
    ['rebase.backend', 'apply'],
    ['submodule.recurse', 'true'],
  ] as const) {
    repository.git('config', name, value);
  }
  repository.write('b.txt', 'base\n');
  repository.git('-c', 'core.hooksPath=/dev/null', 'commit', '-qam', 'base');
  story.tree.write('a.txt', 'work\n');
  expect(await mergeStory(story)).toMatchObject({ kind: 'merged' });
  expect(repository.has('.git/called') ? repository.read('.git/called') : '').toBe('');
});

test('signs the commit if the person signs theirs, and fails with a broken signing key', async () => {
  const repository = makeRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const story = await openStory(repository, 'US-001');
  repository.write('b.txt', 'base\n');
  repository.git('commit', '-qam', 'base');
  const signer = join(makeFolder(), 'gpg');
  const good = '#!/bin/sh\ncat > /dev/null\necho "[GNUPG:] SIG_CREATED " >&2\necho SIGNED\n';
  writeFileSync(signer, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  repository.git('config', 'commit.gpgSign', 'true');
  repository.git('config', 'gpg.program', signer);
  story.tree.write('a.txt', 'work\n');
  await expect(mergeStory(story)).rejects.toMatchObject({ code: 'git', hint: expect.stringContaining('signing key') });
  expect(subjects(repository)).toEqual(['base', 'start']);
  writeFileSync(signer, good, { mode: 0o755 });
  expect(await mergeStory(story)).toMatchObject({ kind: 'merged' });
  expect(repository.git('cat-file', 'commit', 'main')).toContain('SIGNED');
  expect(subjects(repository)).toEqual(['feat: ralph/US-001', 'base', 'start']);
});

test('finds its earlier commit by trailer on a repeated call, and only cleans up', async () => {
  const repository = makeRepository();
  const story = await openStory(repository, 'US-001');
  story.tree.write('a.txt', 'work\n');
  const first = await mergeStory(story);
  repository.write('b.txt', 'later\n');
  repository.git('add', '-A');
  repository.git('commit', '-qm', 'later');
  // As a crash before the cleaning up would have left it.
  repository.git('worktree', 'add', '-q', '-b', story.branch, story.path, 'HEAD~1');
  expect(await mergeStory(story)).toEqual(first);
  expect(subjects(repository)).toEqual(['later', 'feat: ralph/US-001', 'start']);
  expectCleanedUp(repository, story);
});

test('does not remove a worktree that holds another branch by now', async () => {
  const repository = makeRepository();
  const story = await openStory(repository, 'US-001');
  story.tree.write('a.txt', 'work\n');
  const first = await mergeStory(story);
  const { root, path } = story;
  await openWorktree({ root, path, branch: 'ralph/US-002' });
  expect(await mergeStory(story)).toEqual(first);
  expect(openRepository(path).git('branch', '--show-current')).toBe('ralph/US-002');
});

test('follows a commit that a person makes just before the base moves', async () => {
  const repository = makeRepository();
  const story = await openStory(repository, 'US-001');
  story.tree.write('a.txt', 'work\n');
  const at = `"$GIT" -C "${repository.root}"`;
  const commit = `${at} update-ref refs/heads/main $(${at} commit-tree -p HEAD -m person 'HEAD^{tree}')`;
  const result = await withGitAfter('update-ref -m bosun: merge', commit, () => mergeStory(story));
  expect(result).toMatchObject({ kind: 'merged', stat: { files: 1 } });
  expect(subjects(repository)).toEqual(['feat: ralph/US-001', 'person', 'start']);
  expect(repository.status()).toBe('');
});

test('merges even if the worktree cannot be removed, with a note', async () => {
  const repository = makeRepository();
  const story = await openStory(repository, 'US-001');
  story.tree.write('a.txt', 'work\n');
  const result = await withGitAfter('worktree remove', 'echo "failed to delete: Permission denied" >&2; exit 255', () =>
    mergeStory(story),
  );
  expect(result).toMatchObject({ kind: 'merged', note: expect.stringContaining('Permission denied') });
  expect(await mergeStory(story)).toEqual({ ...result, note: null });
  expectCleanedUp(repository, story);
});
