// Built by hand: `git stash push` would include Bosun's files.
// Crash safety: stored before files are touched and dropped after they are back; at worst a second stash with the label
// holds the rest.
import { BosunError } from '../../base/index.js';
import {
  changedFrom,
  keepOut,
  leavingOut,
  listSubmodules,
  putEntries,
  type ScratchIndex,
  snapshot,
  withScratchIndex,
  writeTree,
} from '../changes/scratch-index.js';
import { type Checkpoint, checkpoint } from '../checkpoint/checkpoint.js';
import { type Conflict, moveFiles, setIndex, snapshotAgainst, tryMove } from '../checkpoint/restore.js';
import { type Checkout, findCheckout, type Head, readHead, unfinishedIn } from '../git/checkout.js';
import { askGit, git, gitLine, lastLines, toBytes, toText, wholeTreeMs } from '../git/git.js';
import { findIdentity } from '../git/identity.js';
import { excludeOwnFilesOf } from '../git/own-files.js';
import { restoreStaged } from './rollback.js';

export type StashResult =
  | { readonly kind: 'stashed'; readonly ref: 'stash@{0}'; readonly sha: string; readonly message: string }
  | { readonly kind: 'nothing' };

export type RestoreResult =
  | { readonly kind: 'restored' }
  | { readonly kind: 'left' | 'gone'; readonly why: string; readonly hint: string };

/** `message`: how to restore by hand. */
export async function stashForeign(root: string, label: string): Promise<StashResult> {
  const checkout = await findCheckout(root);
  await excludeOwnFilesOf(checkout);
  const head = await readHead(checkout);
  refuseUnfinished(checkout);
  return withScratchIndex(checkout, async (scratch) => {
    const trees = await readTrees(scratch, head.sha);
    const committed = await gitLine(checkout.top, ['rev-parse', `${head.sha}^{tree}`]);
    if (trees.all === committed && trees.staged === committed) return { kind: 'nothing' };
    const blocked = await tryMove(scratch, trees.all, committed);
    if (blocked !== null) throw notPutAside(root, blocked);
    const sha = await storeStash(checkout, head, trees, label.replaceAll('\n', ' '));
    await setIndex(checkout, committed);
    const raced = await moveFiles(scratch, trees.all, committed);
    if (raced !== null) {
      await setIndex(checkout, trees.staged);
      await dropStash(checkout, sha);
      throw notPutAside(root, raced);
    }
    const way = `git stash apply --index ${sha.slice(0, 10)}`;
    const message = `Your changes are in the stash "${label}". To restore them by hand: ${way}`;
    return { kind: 'stashed', ref: 'stash@{0}', sha, message };
  });
}

export async function findStash(root: string, label: string): Promise<string | null> {
  const answer = await askGit(root, ['stash', 'list', '--format=%H %gs']);
  if (answer.exit !== 0) return null;
  const line = toText(answer.out)
    .split('\n')
    .find((one) => one.includes(label));
  return line?.slice(0, line.indexOf(' ')) ?? null;
}

/** A conflict changes nothing and keeps the stash. */
export async function restoreStash(root: string, sha: string): Promise<RestoreResult> {
  const checkout = await findCheckout(root);
  if ((await askGit(checkout.top, ['cat-file', '-e', `${sha}^{commit}`])).exit !== 0) {
    return {
      kind: 'gone',
      why: `the stash ${sha.slice(0, 10)} no longer exists`,
      hint: 'Run git stash list to see the existing ones.',
    };
  }
  const hint = `The stash is kept. To apply it by hand: git stash apply --index ${sha.slice(0, 10)}`;
  const begun = unfinishedIn(checkout.gitDir);
  if (begun !== null) return { kind: 'left', why: `${begun.what} is unfinished in ${root}`, hint };
  const before = await checkpoint(root);
  const why = (await applyStash(checkout, sha, ['--index'], before)) && (await applyStash(checkout, sha, [], before));
  if (why !== null) return { kind: 'left', why, hint };
  await dropStash(checkout, sha);
  return { kind: 'restored' };
}

interface Trees {
  readonly staged: string;
  readonly tracked: string;
  readonly untracked: string | null;
  readonly all: string;
}

/** The scratch index ends up holding `all`. */
async function readTrees(scratch: ScratchIndex, head: string): Promise<Trees> {
  const { top } = scratch.checkout;
  await keepOut(scratch, head);
  const staged = await writeTree(scratch);
  const input = toBytes([':/', ...(await listSubmodules(scratch)).map(leavingOut)]);
  const update = ['add', '--update', '--pathspec-from-file=-', '--pathspec-file-nul'];
  await git(top, update, { ...scratch.options, input });
  await keepOut(scratch, head);
  const tracked = await writeTree(scratch);
  const all = await snapshot(scratch, head);
  const fresh = (await changedFrom(scratch, tracked)).filter(({ status }) => status === 'A');
  if (fresh.length === 0) return { staged, tracked, untracked: null, all };
  const options = { ...scratch.options, env: { GIT_INDEX_FILE: `${scratch.folder}/index-of-untracked` } };
  const apart: ScratchIndex = { ...scratch, options };
  await git(top, ['read-tree', '--empty'], options);
  await putEntries(
    apart,
    fresh.map(({ newMode, newSha, path }) => ({ mode: newMode, sha: newSha, path })),
  );
  return { staged, tracked, untracked: await writeTree(apart), all };
}

// Like `git stash`: parents are HEAD, index and untracked files.
async function storeStash(checkout: Checkout, head: Head, trees: Trees, label: string): Promise<string> {
  const config = await findIdentity(checkout.top);
  const commit = (tree: string, words: string, parents: readonly string[]) =>
    gitLine(checkout.top, ['commit-tree', '--no-gpg-sign', tree, ...parents.flatMap((p) => ['-p', p]), '-m', words], {
      config,
    });
  const where = head.branch ?? head.sha.slice(0, 10);
  const index = await commit(trees.staged, `index on ${where}: ${label}`, [head.sha]);
  const fresh =
    trees.untracked === null ? [] : [await commit(trees.untracked, `untracked files on ${where}: ${label}`, [])];
  const message = `On ${where}: ${label}`;
  const sha = await commit(trees.tracked, message, [head.sha, index, ...fresh]);
  await git(checkout.top, ['stash', 'store', '--message', message, sha], { config });
  return sha;
}

/** Null: applied. A failure restores files and index. */
async function applyStash(
  checkout: Checkout,
  sha: string,
  flags: readonly string[],
  before: Checkpoint,
): Promise<string | null> {
  const options = { timeoutMs: wholeTreeMs, config: await findIdentity(checkout.top) };
  const answer = await askGit(checkout.top, ['stash', 'apply', '--quiet', ...flags, sha], options);
  if (answer.exit === 0) return null;
  const stuck = await undoTo(checkout, before);
  const why = `the stashed changes no longer apply: ${lastLines(`${toText(answer.out)}\n${answer.err}`, 4)}`;
  return stuck === null ? why : `${why}; ${stuck.why}`;
}

async function undoTo(checkout: Checkout, to: Checkpoint): Promise<Conflict | null> {
  return withScratchIndex(checkout, async (scratch) => {
    const present = await snapshotAgainst(scratch, to.tree);
    const blocked = await moveFiles(scratch, present, to.tree);
    if (blocked === null) await restoreStaged(checkout, to);
    return blocked;
  });
}

function notPutAside(root: string, found: Conflict): BosunError {
  return new BosunError('git', `Cannot stash the changes in ${root}: ${found.why}`, { hint: found.hint });
}

function refuseUnfinished(checkout: Checkout): void {
  const begun = unfinishedIn(checkout.gitDir);
  if (begun === null) return;
  throw new BosunError('git', `Cannot stash changes while ${begun.what} is unfinished in ${checkout.root}`, {
    hint: begun.way,
  });
}

// Race: another stash may have shifted the list.
async function dropStash(checkout: Checkout, sha: string): Promise<void> {
  const listed = toText(await git(checkout.top, ['stash', 'list', '--format=%H'])).split('\n');
  const at = listed.indexOf(sha);
  if (at >= 0) await git(checkout.top, ['stash', 'drop', '--quiet', `stash@{${at}}`]);
}
