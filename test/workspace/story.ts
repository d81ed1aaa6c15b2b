// A repository with stories in worktrees of their own, as tests need them.
import { join } from 'node:path';
import { expect } from 'vitest';
import { mergeWorktree, openWorktree } from '../../src/workspace/index.js';
import { makeFolder, openRepository, type Repository } from './repository.js';

export interface Story {
  readonly root: string;
  readonly path: string;
  readonly branch: string;
  readonly tree: Repository;
}

export async function openStory(repository: Repository, key: string): Promise<Story> {
  const wanted = { root: repository.root, path: join(makeFolder(), 'worktrees', key), branch: `ralph/${key}` };
  expect(await openWorktree(wanted)).toMatchObject({ kind: 'opened', branch: wanted.branch });
  return { ...wanted, tree: openRepository(wanted.path) };
}

export function mergeStory(story: Story, op = 'op1'): ReturnType<typeof mergeWorktree> {
  const { root, path, branch } = story;
  return mergeWorktree({ root, path, branch, message: `feat: ${branch}`, trailer: `Bosun: ${branch} ${op}` });
}

export function subjects(repository: Repository): string[] {
  return repository.git('log', '--format=%s', 'main').split('\n');
}

/** Nothing of it is left but what was committed. */
export function expectCleanedUp(repository: Repository, story: Story): void {
  expect(story.tree.has('.')).toBe(false);
  expect(repository.git('branch', '--list', story.branch)).toBe('');
  expect(repository.git('worktree', 'list').split('\n')).toHaveLength(1);
}
