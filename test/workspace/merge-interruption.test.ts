// The machine may die between any two steps of a merge. Here all that there is is put back to how it stood before each
// call that changes something; from there the next call completes it, and there is one commit.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { dropWorktree, openWorktree } from '../../src/workspace/index.js';
import { snapshotsOf, withDyingGit } from './dying-git.js';
import { makeRepository, type Repository } from './repository.js';
import { expectCleanedUp, mergeStory, openStory, type Story, subjects } from './story.js';

const timeoutMs = 120_000;
/** At least: squashed, rebased, conflicting or moved on. */
const statesMin = 3;

type Scene = { readonly repository: Repository; readonly story: Story };

/** Plays the scene once, and goes on from every state that it went through. */
async function cutOffEverywhere(
  stage: () => Promise<Scene>,
  act: (scene: Scene) => Promise<unknown>,
  check: (scene: Scene) => Promise<void>,
): Promise<void> {
  const scene = await stage();
  const folders = [dirname(scene.repository.root), dirname(dirname(scene.story.path))];
  const snapshots = await snapshotsOf(folders, () => act(scene));
  expect(snapshots.length).toBeGreaterThan(statesMin);
  for (const snapshot of snapshots) {
    snapshot.restore();
    await check(scene);
  }
}

/** The base has moved, beside the story or under it; the person has a change of their own. */
async function makeScene(path: string): Promise<Scene> {
  const repository = makeRepository({ 'a.txt': 'one\n', 'b.txt': 'b\n', 'c.txt': 'c\n' });
  const story = await openStory(repository, 'US-001');
  repository.write(path, 'base\n');
  repository.write('fresh.txt', 'base\n');
  repository.git('add', '-A');
  repository.git('commit', '-qm', 'base');
  repository.write('c.txt', 'of the person\n');
  story.tree.write('a.txt', 'work\n');
  story.tree.git('commit', '-qam', 'work');
  story.tree.write('new.txt', 'work\n');
  return { repository, story };
}

function expectMerged({ repository, story }: Scene, content: string): void {
  expect(subjects(repository)).toEqual(['feat: ralph/US-001', 'base', 'start']);
  expect(repository.git('diff', '--name-only', 'main~1', 'main').split('\n')).toEqual(['a.txt', 'new.txt']);
  expect([repository.read('a.txt'), repository.read('new.txt')]).toEqual([content, 'work\n']);
  expect(repository.status()).toBe(' M c.txt');
  expectCleanedUp(repository, story);
}

test(
  'a merge interrupted at any point is completed by the next call, with one commit',
  async () => {
    await cutOffEverywhere(
      () => makeScene('b.txt'),
      ({ story }) => mergeStory(story),
      async (scene) => {
        expect(await mergeStory(scene.story)).toMatchObject({ kind: 'merged', commit: expect.any(String), note: null });
        expectMerged(scene, 'work\n');
      },
    );
  },
  timeoutMs,
);

test(
  'an interrupted conflicting merge conflicts again, and an interrupted resolution is merged once',
  async () => {
    const conflict = { kind: 'conflict', files: ['a.txt'] };
    await cutOffEverywhere(
      () => makeScene('a.txt'),
      ({ story }) => mergeStory(story),
      async ({ story }) => {
        expect(await mergeStory(story)).toEqual(conflict);
        expect(story.tree.read('a.txt')).toMatch(/^<<<<<<< .*\nbase\n=======\nwork\n>>>>>>> /);
      },
    );
    const resolved = async () => {
      const scene = await makeScene('a.txt');
      expect(await mergeStory(scene.story)).toEqual(conflict);
      scene.story.tree.write('a.txt', 'both\n');
      return scene;
    };
    await cutOffEverywhere(
      resolved,
      ({ story }) => mergeStory(story, 'op2'),
      async (scene) => {
        expect(await mergeStory(scene.story, 'op2')).toMatchObject({ kind: 'merged', commit: expect.any(String) });
        expectMerged(scene, 'both\n');
      },
    );
  },
  timeoutMs,
);

test('a rebase killed while it wrote files starts again from the commit', async () => {
  for (const [path, result] of [
    ['a.txt', { kind: 'conflict', files: ['a.txt'] }],
    ['b.txt', { kind: 'merged', note: null }],
  ] as const) {
    const scene = await makeScene(path);
    const { tree } = scene.story;
    // All of it is in one commit, and the rebase is about to begin.
    for (let calls = 0; tree.git('log', '-1', '--format=%s') !== 'feat: ralph/US-001'; calls++) {
      await withDyingGit(calls, () => mergeStory(scene.story));
    }
    writeFileSync(join(tree.git('rev-parse', '--absolute-git-dir'), 'bosun-rebase-begun'), '');
    execFileSync('sh', ['-c', 'git rebase -q -x false main || true'], { cwd: tree.root, stdio: 'pipe' });
    tree.write('a.txt', 'half a li');
    tree.write('fresh of base.txt', 'half a li');
    expect(await mergeStory(scene.story)).toMatchObject(result);
    expect(scene.story.tree.has('fresh of base.txt')).toBe(false);
    if (result.kind === 'merged') expectMerged(scene, 'work\n');
    else expect(tree.read('a.txt')).toMatch(/^<<<<<<< .*\nbase\n=======\nwork\n>>>>>>> /);
  }
});

test(
  'an empty merge, an open and a drop interrupted at any point are completed by the next call',
  async () => {
    const stage = async () => {
      const repository = makeRepository();
      return { repository, story: await openStory(repository, 'US-001') };
    };
    const nothing = { kind: 'merged', commit: null, stat: null, note: null };
    for (let calls = 0; calls < 4; calls++) {
      const scene = await stage();
      await withDyingGit(calls, () => mergeStory(scene.story));
      expect(await mergeStory(scene.story)).toEqual(nothing);
      expectCleanedUp(scene.repository, scene.story);
    }
    for (let calls = 0; calls < 6; calls++) {
      const scene = await stage();
      scene.story.tree.write('loose.txt', 'x');
      const drop = () => dropWorktree({ ...scene.story, keepBranch: false });
      await withDyingGit(calls, drop);
      expect(await drop()).toEqual({ kind: 'dropped', branch: 'kept' });
      expect(scene.repository.git('show', 'ralph/US-001:loose.txt')).toBe('x');
      const open = () => openWorktree(scene.story);
      await withDyingGit(calls, open);
      expect(await open()).toMatchObject({ kind: 'opened', isContinued: true });
      expect(scene.story.tree.read('loose.txt')).toBe('x');
    }
  },
  timeoutMs,
);
