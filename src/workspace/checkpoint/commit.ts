// Crash safety: after a crash everything is staged or committed, and the next call completes it.

import { BosunError } from '../../base/index.js';
import type { DiffStat } from '../../engine/index.js';
import { withScan } from '../changes/open-and-scan.js';
import { snapshotAndLines, writeStaged } from '../changes/scratch-index.js';
import { type Checkout, type OpenedHead, openHead, unfinishedIn } from '../git/checkout.js';
import { askGit, type GitAnswer, git, gitLine, lastLines, wholeTreeMs } from '../git/git.js';
import { findIdentity } from '../git/identity.js';
import { diffStat } from './diff.js';
import { setIndex } from './restore.js';

export type CommitResult =
  | { readonly kind: 'committed'; readonly sha: string; readonly stat: DiffStat }
  | { readonly kind: 'nothing' };

/** Commit hooks may run tests. */
const hooksMs = 600_000;

export async function commitAll(
  root: string,
  message: string,
  options: { readonly author?: string } = {},
): Promise<CommitResult> {
  const prepared = await prepare(root);
  if (prepared === null) return { kind: 'nothing' };
  const { checkout, head, identity } = prepared;
  // `git commit` refreshes by itself.
  await git(checkout.top, ['read-tree', '--reset', prepared.tree], { timeoutMs: wholeTreeMs });
  let answer: GitAnswer | null = null;
  try {
    answer = await runCommit(checkout, message, { identity, author: options.author });
  } finally {
    if (answer?.exit !== 0) await restoreUnlessMade(checkout, head.sha, prepared.staged);
  }
  if (answer.exit !== 0) throw refused(checkout, answer);
  const [sha = '', tree] = (await git(checkout.top, ['rev-parse', 'HEAD', 'HEAD^{tree}'])).split('\n');
  // A hook may have changed the files.
  const stat = tree === prepared.tree ? prepared.stat : await diffStat(checkout.top, head.sha, sha);
  return { kind: 'committed', sha, stat };
}

function refuseUnfit(checkout: Checkout, branch: string | null): void {
  const begun = unfinishedIn(checkout.gitDir);
  if (begun !== null) {
    throw new BosunError('git', `Cannot commit while ${begun.what} is unfinished in ${checkout.root}`, {
      hint: begun.way,
    });
  }
  if (branch !== null) return;
  throw new BosunError('git', `No branch is checked out in ${checkout.root}, so a commit would be lost`, {
    hint: 'Keep the work on a branch: git switch -c <name>.',
  });
}

interface Prepared extends OpenedHead {
  readonly identity: readonly string[];
  /** To commit. */
  readonly tree: string;
  /** The present index. */
  readonly staged: string;
  readonly stat: DiffStat;
}

/** Computed aside; null: nothing to commit. */
async function prepare(root: string): Promise<Prepared | null> {
  const open = () => openHead(root);
  return withScan(root, open, async ({ checkout, head }, scratch, { isClean, isUnstaged, embedded, changed }) => {
    refuseUnfit(checkout, head.branch);
    if (isClean) return null;
    const staged = isUnstaged ? head.tree : ((await writeStaged(scratch)) ?? head.sha);
    const [{ tree, lines }, identity] = await Promise.all([
      snapshotAndLines(scratch, head.sha, { embedded, large: [], changed }),
      findIdentity(checkout.top),
    ]);
    return tree === head.tree ? null : { checkout, head, identity, tree, staged, stat: lines.stat };
  });
}

async function runCommit(
  checkout: Checkout,
  message: string,
  { identity, author }: { readonly identity: readonly string[]; readonly author: string | undefined },
): Promise<GitAnswer> {
  const args = [
    'commit',
    '--quiet',
    '--file=-',
    '--cleanup=whitespace',
    ...(author === undefined ? [] : [`--author=${author}`]),
  ];
  const input = Buffer.from(message, 'utf8');
  return askGit(checkout.top, args, {
    config: identity,
    input,
    timeoutMs: hooksMs,
    keepsLocale: true,
    runsHooks: true,
  });
}

// A timeout may hit a later hook, after the commit.
async function restoreUnlessMade(checkout: Checkout, head: string, staged: string): Promise<void> {
  if ((await gitLine(checkout.top, ['rev-parse', 'HEAD'])) === head) {
    await setIndex(checkout, staged);
  }
}

function refused(checkout: Checkout, answer: GitAnswer): BosunError {
  const said = lastLines([answer.out, answer.err].join('\n'), 12) || 'without a message';
  const isSigning = /gpg failed to sign|failed to write commit object/.test(said);
  return new BosunError('git', `git commit failed in ${checkout.root}: ${said}`, {
    hint: isSigning
      ? 'Make the signing key usable without a prompt, or set commit.gpgSign to false in this repository.'
      : 'Nothing was committed; the work is still in the folder. A commit hook of the repository probably refused it: fix what it reports, then retry.',
  });
}
