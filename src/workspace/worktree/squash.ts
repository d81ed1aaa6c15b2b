// Records the earlier head for a rollback.

import {
  changedFrom,
  putBack,
  snapshot,
  snapshotAndChanges,
  withScratchIndex,
  writeTree,
} from '../changes/scratch-index.js';
import { setIndex } from '../checkpoint/restore.js';
import { type Checkout, readHead, unfinishedIn } from '../git/checkout.js';
import { askGit, git, gitLine, toText } from '../git/git.js';
import { findIdentity } from '../git/identity.js';
import { isIgnoredName, isLive } from '../git/own-files.js';
import { unattended } from '../git/unattended.js';
import { noteEarlierHead } from './rebase-record.js';

export interface SquashWanted {
  readonly branch: string;
  readonly fork: string;
  readonly message: string;
  /** People receive it, so signed if they sign. */
  readonly isFinal: boolean;
}

export interface Squashed {
  /** The branch's new head. */
  readonly commit: string;
  /** False: made by an earlier call, so the index may be older. */
  readonly isIndexSet: boolean;
}

/** Null: nothing differs from `fork`. */
export async function squash(checkout: Checkout, head: string, wanted: SquashWanted): Promise<Squashed | null> {
  const { branch, fork, message } = wanted;
  const tree = await writeWork(checkout, head, fork);
  if (tree === null) return null;
  const signs = wanted.isFinal && (await isSigning(checkout));
  const isMade = !signs && head !== fork && (await isAlready(checkout, head, { tree, fork, message }));
  if (isMade) return { commit: head, isIndexSet: false };
  const commit = await commitTree(checkout, tree, fork, message, signs);
  await noteEarlierHead(checkout.gitDir, head);
  await moveBranch(checkout, branch, commit, head, tree);
  return { commit, isIndexSet: true };
}

export async function commitUnfinished(checkout: Checkout, branch: string): Promise<void> {
  const head = await readHead(checkout);
  if (head.branch !== branch || unfinishedIn(checkout.gitDir) !== null) return;
  const tree = await withScratchIndex(checkout, (scratch) => snapshot(scratch, head.sha));
  if (tree === (await gitLine(checkout.top, ['rev-parse', `${head.sha}^{tree}`]))) return;
  const sha = await commitTree(checkout, tree, head.sha, `Unfinished work on ${branch}\n`, false);
  await moveBranch(checkout, branch, sha, head.sha, tree);
}

/** Own files as in `fork`, even if committed. Null: nothing differs from it. */
async function writeWork(checkout: Checkout, head: string, fork: string): Promise<string | null> {
  return withScratchIndex(checkout, async (scratch) => {
    const { tree, changes } = await snapshotAndChanges(scratch, head);
    const since = fork === head ? changes : await changedFrom(scratch, fork);
    const own = since.filter(
      ({ path, status }) => isLive(checkout, path) || (status === 'A' && isIgnoredName(checkout, path)),
    );
    if (own.length === since.length) return null;
    if (own.length === 0) return tree;
    await putBack(scratch, own);
    return writeTree(scratch);
  });
}

async function isAlready(
  checkout: Checkout,
  head: string,
  { tree, fork, message }: { readonly tree: string; readonly fork: string; readonly message: string },
): Promise<boolean> {
  const told = toText(await git(checkout.top, ['log', '-1', '--format=%T%n%P%n%B', head]));
  return told.trimEnd() === `${tree}\n${fork}\n${message}`.trimEnd();
}

async function commitTree(
  checkout: Checkout,
  tree: string,
  parent: string,
  message: string,
  signs: boolean,
): Promise<string> {
  const args = ['commit-tree', signs ? '-S' : '--no-gpg-sign', '-p', parent, '-F', '-', tree];
  return gitLine(checkout.top, args, {
    config: await findIdentity(checkout.top),
    input: Buffer.from(message, 'utf8'),
  });
}

// The old value makes git refuse if the branch moved (race).
async function moveBranch(checkout: Checkout, branch: string, to: string, from: string, tree: string): Promise<void> {
  const args = ['update-ref', '-m', 'bosun: one commit', `refs/heads/${branch}`, to, from];
  await git(checkout.top, args, { config: unattended });
  await setIndex(checkout, tree);
}

async function isSigning(checkout: Checkout): Promise<boolean> {
  const answer = await askGit(checkout.top, ['config', '--type=bool', '--get', 'commit.gpgSign']);
  return answer.exit === 0 && answer.out.trim() === 'true';
}
