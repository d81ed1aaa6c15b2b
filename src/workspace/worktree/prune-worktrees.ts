// Forgets the worktrees of a clone whose folders are gone, so that their branches are free again.
import { git } from '../git/git.js';
import { unattended } from '../git/unattended.js';

export async function pruneWorktrees(clone: string): Promise<void> {
  await git(clone, ['worktree', 'prune', '--expire=now'], { config: unattended });
}
