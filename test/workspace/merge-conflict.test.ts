// Two stories that change the same line, and all that may happen until the second one is merged.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  checkpoint,
  diffSince,
  dropWorktree,
  listWorktrees,
  openWorktree,
  rollback,
} from '../../src/workspace/index.js';
import { madeOnce } from './made-once.js';
import { addRemote, makeFolder, makeRepository, type Repository, withoutIdentity } from './repository.js';
import { expectCleanedUp, mergeStory, openStory, type Story, subjects } from './story.js';

const timeoutMs = 60_000;
const conflict = { kind: 'conflict', files: ['a.txt'] };
const merged = { kind: 'merged', note: null };

/** The first story is merged, and the second has run into it. */
const collide = madeOnce(makeCollision, ({ repository, story }) => [
  dirname(repository.root),
  dirname(dirname(story.path)),
]);

async function makeCollision(): Promise<{ repository: Repository; story: Story }> {
  const repository = makeRepository({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
  const [first, story] = [await openStory(repository, 'US-001'), await openStory(repository, 'US-002')];
  first.tree.write('a.txt', 'first\n');
  story.tree.write('a.txt', 'second\n');
  story.tree.git('commit', '-qam', 'second');
  story.tree.write('new.txt', 'second\n');
  expect(await mergeStory(first)).toMatchObject(merged);
  expect(await mergeStory(story)).toEqual(conflict);
  return { repository, story };
}

function expectTwoCleanCommits(repository: Repository, story: Story, content: string): void {
  expect(subjects(repository)).toEqual(['feat: ralph/US-002', 'feat: ralph/US-001', 'start']);
  for (const sha of repository.git('rev-list', '--all').split('\n')) {
    expect(repository.git('show', sha)).not.toMatch(/<<<<<<<|>>>>>>>/);
  }
  expect([repository.read('a.txt'), repository.read('new.txt')]).toEqual([content, 'second\n']);
  expect(repository.git('log', '-1', '--format=%B')).toBe('feat: ralph/US-002\n\nBosun: ralph/US-002 op2');
  expect(repository.status()).toBe('');
  expectCleanedUp(repository, story);
}

test('a conflict stays in the worktree, the base stays clean, and the resolution is merged as one commit', async () => {
  const { repository, story } = await collide();
  expect(subjects(repository)).toEqual(['feat: ralph/US-001', 'start']);
  expect(repository.status()).toBe('');
  expect(repository.read('a.txt')).toBe('first\n');
  expect(story.tree.read('a.txt')).toMatch(/^<<<<<<< .*\nfirst\n=======\nsecond\n>>>>>>> /);
  expect(story.tree.status()).toContain('UU a.txt');
  expect(repository.git('show', 'ralph/US-002:a.txt')).toBe('second');
  story.tree.write('a.txt', 'first and second\n');
  expect(await mergeStory(story, 'op2')).toMatchObject({ ...merged, stat: { files: 2, insertions: 2, deletions: 1 } });
  expectTwoCleanCommits(repository, story, 'first and second\n');
});

test('a resolution is merged as Bosun if the person has set no identity', async () => {
  const { repository, story } = await collide();
  story.tree.write('a.txt', 'first and second\n');
  await withoutIdentity(async () => expect(await mergeStory(story, 'op2')).toMatchObject(merged));
  expect(repository.git('log', '-1', '--format=%cn')).toBe('Bosun');
});

test(
  'a resolution by any git command becomes one commit',
  async () => {
    const ways: readonly ((tree: Repository) => void)[] = [
      (tree) => tree.git('add', '-A'),
      (tree) => {
        tree.git('add', '-A');
        tree.git('-c', 'core.editor=:', 'rebase', '--continue');
      },
      (tree) => {
        tree.git('add', '-A');
        tree.git('commit', '-qm', 'by hand');
      },
      (tree) => {
        tree.git('add', '-A');
        tree.git('rebase', '--quit');
        tree.git('checkout', '-q', '-B', 'ralph/US-002');
      },
    ];
    for (const way of ways) {
      const { repository, story } = await collide();
      story.tree.write('a.txt', 'both\n');
      way(story.tree);
      expect(await mergeStory(story, 'op2')).toMatchObject(merged);
      expectTwoCleanCommits(repository, story, 'both\n');
    }
  },
  timeoutMs,
);

test(
  'a resolution with a conflict marker left is refused',
  async () => {
    const halves: readonly ((tree: Repository) => void)[] = [
      () => undefined,
      (tree) => tree.git('add', '-A'),
      (tree) => tree.write('a.txt', 'both\n>>>>>>> 1234567 (feat)\n'),
      (tree) => tree.write('a.txt', 'first\r\n=======\r\nsecond\r\n'),
      (tree) => {
        tree.git('add', '-A');
        tree.git('-c', 'core.editor=:', 'rebase', '--continue');
      },
    ];
    for (const halve of halves) {
      const { repository, story } = await collide();
      halve(story.tree);
      expect(await mergeStory(story, 'op2')).toEqual(conflict);
      expect(subjects(repository)).toEqual(['feat: ralph/US-001', 'start']);
      story.tree.write('a.txt', 'both\n');
      expect(await mergeStory(story, 'op2')).toMatchObject(merged);
      expect(repository.read('a.txt')).toBe('both\n');
      expect(repository.git('show', 'main')).not.toMatch(/<<<<<<<|>>>>>>>/);
    }
  },
  timeoutMs,
);

test('an exec line that an agent added to the rebase is reported and not run', async () => {
  const { story } = await collide();
  story.tree.write('a.txt', 'first and second\n');
  const todo = join(story.tree.git('rev-parse', '--absolute-git-dir'), 'rebase-merge/git-rebase-todo');
  writeFileSync(todo, 'exec touch ran\n', { flag: 'a' });
  const why = expect.stringContaining('exec touch ran');
  expect(await mergeStory(story, 'op2')).toMatchObject({ kind: 'blocked', why });
  expect(story.tree.has('ran')).toBe(false);
});

test('lines of the project that look like conflict markers are not treated as markers', async () => {
  const text = 'Title\n=======\n<<<<<<< how conflicts look\n';
  const repository = makeRepository({ 'a.txt': `${text}one\n` });
  const story = await openStory(repository, 'US-002');
  story.tree.write('a.txt', `${text}second\n`);
  repository.write('a.txt', `${text}first\n`);
  repository.git('commit', '-qam', 'base');
  expect(await mergeStory(story)).toEqual(conflict);
  story.tree.write('a.txt', `${text}both\n`);
  expect(await mergeStory(story)).toMatchObject(merged);
  expect(repository.read('a.txt')).toBe(`${text}both\n`);
});

test('a conflict without markers needs a side to be chosen', async () => {
  const repository = makeRepository({ bin: '\0one', 'gone.txt': 'one\n' });
  const story = await openStory(repository, 'US-002');
  story.tree.write('bin', '\0second');
  story.tree.write('gone.txt', 'second\n');
  repository.write('bin', '\0first');
  repository.remove('gone.txt');
  repository.git('commit', '-qam', 'base');
  expect(await mergeStory(story)).toEqual({ kind: 'conflict', files: ['bin', 'gone.txt'] });
  expect(await mergeStory(story)).toEqual({ kind: 'conflict', files: ['bin', 'gone.txt'] });
  story.tree.write('bin', '\0both');
  expect(await mergeStory(story)).toEqual({ kind: 'conflict', files: ['gone.txt'] });
  story.tree.git('add', 'gone.txt');
  expect(await mergeStory(story)).toMatchObject(merged);
  expect([repository.read('bin'), repository.read('gone.txt')]).toEqual(['\0both', 'second\n']);
});

test('a base that moves during a resolution is followed, and may conflict again', async () => {
  const { repository, story } = await collide();
  repository.write('b.txt', 'moved\n');
  repository.git('commit', '-qam', 'elsewhere');
  repository.write('a.txt', 'third\n');
  repository.git('commit', '-qam', 'the same line');
  story.tree.write('a.txt', 'first and second\n');
  expect(await mergeStory(story, 'op2')).toEqual(conflict);
  expect(story.tree.read('a.txt')).toContain('third');
  story.tree.write('a.txt', 'all three\n');
  expect(await mergeStory(story, 'op3')).toMatchObject(merged);
  expect(subjects(repository)).toEqual([
    'feat: ralph/US-002',
    'the same line',
    'elsewhere',
    'feat: ralph/US-001',
    'start',
  ]);
  expect([repository.read('a.txt'), repository.read('b.txt')]).toEqual(['all three\n', 'moved\n']);
});

test('a rebase that an agent began is continued, conflict by conflict', async () => {
  const repository = makeRepository({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
  const story = await openStory(repository, 'US-002');
  for (const path of ['a.txt', 'b.txt']) {
    story.tree.write(path, 'second\n');
    story.tree.git('commit', '-qam', path);
    repository.write(path, 'first\n');
    repository.git('commit', '-qam', path);
  }
  expect(() => story.tree.git('rebase', 'main')).toThrow();
  expect(await mergeStory(story)).toEqual(conflict);
  story.tree.write('a.txt', 'both\n');
  expect(await mergeStory(story)).toEqual({ kind: 'conflict', files: ['b.txt'] });
  story.tree.write('b.txt', 'both\n');
  expect(await mergeStory(story)).toMatchObject(merged);
  expect(subjects(repository)).toEqual(['feat: ralph/US-002', 'b.txt', 'a.txt', 'start']);
});

test('an empty resolution merges nothing, and the branch keeps the earlier work', async () => {
  for (const skips of [false, true]) {
    const { repository, story } = await collide();
    if (skips) story.tree.git('rebase', '--skip');
    else {
      story.tree.write('a.txt', 'first\n');
      story.tree.remove('new.txt');
    }
    const result = { kind: 'merged', commit: null, stat: null, note: expect.stringContaining('ralph/US-002 is kept') };
    expect(await mergeStory(story, 'op2')).toEqual(result);
    expect(await mergeStory(story, 'op2')).toEqual(result);
    expect(repository.git('show', 'ralph/US-002:a.txt')).toBe('second');
    expect(subjects(repository)).toEqual(['feat: ralph/US-001', 'start']);
    expect(await listWorktrees(repository.root)).toHaveLength(1);
  }
});

test('a worktree in conflict can be reopened and dropped, and its branch keeps the work', async () => {
  const { repository, story } = await collide();
  expect(await openWorktree(story)).toMatchObject({ kind: 'opened', isContinued: true });
  expect(story.tree.read('a.txt')).toContain('<<<<<<<');
  expect(await dropWorktree({ ...story, keepBranch: false })).toEqual({ kind: 'dropped', branch: 'kept' });
  expect(repository.git('show', 'ralph/US-002:a.txt')).toBe('second');
  await openWorktree(story);
  expect(await mergeStory(story, 'op2')).toEqual(conflict);
});

test(
  'a checkpoint taken during a conflict can be restored before and after its resolution',
  async () => {
    const finishes: readonly ((tree: Repository) => void)[] = [
      () => undefined,
      (tree) => tree.git('add', '-A'),
      (tree) => {
        tree.git('add', '-A');
        tree.git('-c', 'core.editor=:', 'rebase', '--continue');
      },
    ];
    for (const finish of finishes) {
      const { repository, story } = await collide();
      const markers = story.tree.read('a.txt');
      const point = await checkpoint(story.path);
      story.tree.write('a.txt', 'wrong\n');
      story.tree.write('rubbish.txt', 'x\n');
      finish(story.tree);
      expect((await diffSince(story.path, point)).files).toEqual(['a.txt', 'rubbish.txt']);
      const saveTo = join(makeFolder(), 'x.diff');
      expect(await rollback(story.path, point, { saveTo })).toMatchObject({
        kind: 'done',
        files: ['a.txt', 'rubbish.txt'],
      });
      expect(story.tree.read('a.txt')).toBe(markers);
      expect(story.tree.has('rubbish.txt')).toBe(false);
      expect(story.tree.status()).toContain('UU a.txt');
      expect(await mergeStory(story, 'op2')).toEqual(conflict);
      story.tree.write('a.txt', 'both\n');
      expect(await mergeStory(story, 'op2')).toMatchObject(merged);
      expectTwoCleanCommits(repository, story, 'both\n');
    }
  },
  timeoutMs,
);

test(
  'a checkpoint from before the rebase can be restored during and after it',
  async () => {
    for (const [commits, isOver] of [
      [true, false],
      [true, true],
      [false, true],
    ]) {
      const repository = makeRepository({ 'a.txt': 'one\n' });
      addRemote(repository);
      const story = await openStory(repository, 'US-002');
      story.tree.write('a.txt', 'half\n');
      if (commits) story.tree.git('commit', '-qam', 'half');
      const status = story.tree.status();
      const point = await checkpoint(story.path);
      story.tree.write('a.txt', 'second\n');
      repository.write('a.txt', 'first\n');
      repository.git('commit', '-qam', 'base');
      repository.git('push', '-q', 'origin', 'main');
      expect(await mergeStory(story)).toEqual(conflict);
      if (isOver) {
        story.tree.write('a.txt', 'both\n');
        story.tree.git('add', '-A');
        story.tree.git('-c', 'core.editor=:', 'rebase', '--continue');
      }
      const back = () => rollback(story.path, point, { saveTo: join(makeFolder(), 'x.diff') });
      expect(await back()).toMatchObject({ kind: 'done', files: ['a.txt'] });
      expect(await back()).toMatchObject({ kind: 'done', files: [] });
      expect(story.tree.read('a.txt')).toBe('half\n');
      expect(story.tree.git('branch', '--show-current')).toBe('ralph/US-002');
      expect(story.tree.status()).toBe(status);
      expect(story.tree.git('rev-parse', 'HEAD')).toBe(point.head);
      expect(await mergeStory(story, 'op2')).toEqual(conflict);
      story.tree.write('a.txt', 'both\n');
      expect(await mergeStory(story, 'op2')).toMatchObject(merged);
    }
  },
  timeoutMs,
);

test.each([
  ['a merge', ['merge', 'main']],
  ['a rebase', ['rebase', 'main']],
] as const)(
  'a rollback refuses to undo %s of a person in a worktree that Bosun had rebased into a conflict',
  async (what, args) => {
    const { story } = await collide();
    story.tree.git('rebase', '--abort');
    // Of no branch, so that it cannot be the rebase that Bosun began.
    story.tree.git('checkout', '-q', '--detach');
    const point = await checkpoint(story.path);
    expect(() => story.tree.git(...args)).toThrow();
    const before = story.tree.status();
    for (const to of [point, { ...point, branch: 'ralph/US-002' }]) {
      expect(await rollback(story.path, to, { saveTo: join(makeFolder(), 'x.diff') })).toMatchObject({
        kind: 'conflict',
        why: expect.stringContaining(`${what} is unfinished`),
      });
    }
    expect(story.tree.status()).toBe(before);
  },
  timeoutMs,
);

test('a rollback refuses to undo a rebase that Bosun did not begin', async () => {
  const repository = makeRepository();
  repository.git('checkout', '-q', '-b', 'side');
  repository.write('a.txt', 'side\n');
  repository.git('commit', '-qam', 'side');
  repository.git('checkout', '-q', 'main');
  repository.write('a.txt', 'main\n');
  repository.git('commit', '-qam', 'main');
  const point = await checkpoint(repository.root);
  expect(() => execFileSync('git', ['-C', repository.root, 'rebase', 'side'], { stdio: 'pipe' })).toThrow();
  const amid = await checkpoint(repository.root);
  for (const to of [point, amid]) {
    expect(await rollback(repository.root, to, { saveTo: join(makeFolder(), 'x.diff') })).toMatchObject({
      kind: 'conflict',
      why: expect.stringContaining('a rebase is unfinished'),
    });
  }
});
