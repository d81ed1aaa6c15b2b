// An agent or a person can resolve a stopped rebase and continue it.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { snapshot, withScratchIndex } from '../changes/scratch-index.js';
import { setIndex } from '../checkpoint/restore.js';
import { type Checkout, readHead } from '../git/checkout.js';
import { askGit, type GitAnswer, git, gitRecords, lastLines, toBytes, toText, wholeTreeMs } from '../git/git.js';
import { findCommitter } from '../git/identity.js';
import { isAbsent, readPlain } from '../git/read-within.js';
import { type Blocked, blocked, unattended } from '../git/unattended.js';
import { clearBegun, isBegun, noteBegun, noteEarlierHead } from '../worktree/rebase-record.js';
import type { Squashed } from '../worktree/squash.js';
import { listUnresolved, recordConflicts, unmergedPaths } from './conflict-files.js';

export type RebaseResult =
  | { readonly kind: 'rebased' }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }
  | Blocked;

const options = { config: unattended, timeoutMs: wholeTreeMs };

/** Everything is committed on the checked-out branch. */
interface Rebased extends Squashed {
  readonly branch: string;
}

export async function rebase(
  checkout: Checkout,
  { branch, commit, isIndexSet }: Rebased,
  fork: string,
  tip: string,
): Promise<RebaseResult> {
  const { top, gitDir } = checkout;
  await noteEarlierHead(gitDir, commit);
  // A crash after the branch moved may leave a stale index.
  if (!isIndexSet) await setIndex(checkout, commit);
  const [committing] = await Promise.all([committingIn(top), restoreOwnFiles(checkout)]);
  await noteBegun(gitDir);
  const answer = await askGit(top, ['rebase', '--quiet', '--no-stat', '--onto', tip, fork], committing);
  const result = await settle(checkout, answer);
  if (result.kind === 'blocked') await undoCutRebase(checkout, branch);
  else await clearBegun(gitDir);
  return result;
}

/** Takes the present files as the resolution. */
export async function continueRebase(checkout: Checkout): Promise<RebaseResult> {
  await recordConflicts(checkout);
  const unresolved = await listUnresolved(checkout);
  if (unresolved.length > 0) return { kind: 'conflict', paths: unresolved };
  const odd = await findOddStep(checkout.gitDir);
  if (odd !== null) {
    const what = `the rebase in ${checkout.top} contains a command that Bosun did not write: ${odd}`;
    return blocked(what, 'Inspect it, then end it: git rebase --abort.');
  }
  const head = await readHead(checkout);
  const tree = await withScratchIndex(checkout, (scratch) => snapshot(scratch, head.sha));
  await setIndex(checkout, tree);
  const [committing] = await Promise.all([committingIn(checkout.top), restoreOwnFiles(checkout)]);
  return settle(checkout, await askGit(checkout.top, ['rebase', '--continue'], committing));
}

async function committingIn(folder: string) {
  return { ...options, config: [...unattended, ...(await findCommitter(folder))] };
}

/** Security: Bosun's rebases only pick; an agent may have added a line that runs a program. */
async function findOddStep(gitDir: string): Promise<string | null> {
  for (const name of ['git-rebase-todo', 'git-rebase-todo.backup']) {
    const path = join(gitDir, 'rebase-merge', name);
    const text = await readPlain(path).catch((error: unknown) => (isAbsent(error) ? '' : null));
    if (text === null) return `${name}, which cannot be read`;
    const odd = text.split('\n').find((line) => /^\s*(x|exec)(\s|$)/.test(line));
    if (odd !== undefined) return odd.slice(0, 100);
  }
  return null;
}

/** After a crash mid-move. The branch's commits hold all work. */
export async function undoCutRebase(checkout: Checkout, branch: string): Promise<void> {
  const { top, gitDir } = checkout;
  if (!isBegun(gitDir)) return;
  await git(top, ['symbolic-ref', '-m', 'bosun: back on the branch', 'HEAD', `refs/heads/${branch}`], options);
  await forgetRebase(gitDir);
  await git(top, ['reset', '--quiet', '--hard'], options);
  await git(top, ['clean', '--quiet', '-f', '-d', '--', ':/'], options);
  await clearBegun(gitDir);
}

/** HEAD and files stay. */
export async function forgetRebase(gitDir: string): Promise<void> {
  for (const name of ['rebase-merge', 'rebase-apply']) await rm(join(gitDir, name), { recursive: true, force: true });
  for (const name of ['REBASE_HEAD', 'MERGE_MSG', 'AUTO_MERGE', 'CHERRY_PICK_HEAD']) {
    await rm(join(gitDir, name), { force: true });
  }
}

async function settle(checkout: Checkout, answer: GitAnswer): Promise<RebaseResult> {
  if (answer.exit === 0) return { kind: 'rebased' };
  if (await recordConflicts(checkout)) return { kind: 'conflict', paths: await unmergedPaths(checkout) };
  const said = lastLines(`${toText(answer.out)}\n${answer.err}`, 4);
  return blocked(`git rebase failed in ${checkout.top}: ${said}`, 'Fix what git reports, then try again.');
}

// Git refuses to rebase over uncommitted changes.
async function restoreOwnFiles(checkout: Checkout): Promise<void> {
  const args = ['diff-files', '--name-only', '-z', '--ignore-submodules=all'];
  const changed = await gitRecords(checkout.top, args, options);
  if (changed.length === 0) return;
  const input = toBytes(changed);
  await git(checkout.top, ['checkout-index', '--force', '-z', '--stdin'], { ...options, input });
}
