import { stat } from 'node:fs/promises';
import {
  type Checkout,
  findCheckout,
  findHead,
  noCommitsHint,
  readBranch,
  tryOnBranch,
  unfinishedIn,
} from '../git/checkout.js';
import { askGit, toText } from '../git/git.js';

export type RootState =
  | {
      readonly kind: 'ok';
      readonly branch: string;
      readonly head: string;
      readonly checkout: Checkout;
    }
  | {
      readonly kind: 'gone' | 'not_a_folder' | 'not_git' | 'bare' | 'no_commits' | 'detached' | 'in_progress';
      readonly message: string;
      readonly hint: string;
    };

export async function inspectRoot(root: string): Promise<RootState> {
  const folder = await stat(root).catch(() => null);
  if (folder === null)
    return { kind: 'gone', message: `${root} does not exist`, hint: 'Check the path, and that its disk is mounted.' };
  if (!folder.isDirectory()) {
    return {
      kind: 'not_a_folder',
      message: `${root} is not a folder`,
      hint: "Give the project's folder.",
    };
  }
  const usual = await tryOnBranch(root);
  if (usual !== null && unfinishedIn(usual.checkout.gitDir) === null) {
    return { kind: 'ok', branch: usual.head.branch, head: usual.head.sha, checkout: usual.checkout };
  }
  const args = ['--is-bare-repository', '--is-inside-work-tree', '--absolute-git-dir', '--show-toplevel'];
  const kind = await askGit(root, ['rev-parse', ...args]);
  // Bare or inside .git: git prints the rest and then fails.
  const [isBare, isInside, gitDir = ''] = toText(kind.out).split('\n');
  if (isBare === 'true') {
    return {
      kind: 'bare',
      message: `${root} is a bare repository, without files`,
      hint: 'Clone it and use the clone.',
    };
  }
  if (isInside === 'false') return notGit(root, 'it is inside a .git folder');
  if (kind.exit !== 0) return notGit(root, kind.err);
  return inspectHead(root, gitDir);
}

async function inspectHead(root: string, gitDir: string): Promise<RootState> {
  const begun = unfinishedIn(gitDir);
  if (begun !== null) {
    return { kind: 'in_progress', message: `${begun.what} is unfinished in ${root}`, hint: begun.way };
  }
  const head = await findHead(root);
  if (head === null) return noCommits(root, await readBranch(root));
  if (head.branch !== null)
    return { kind: 'ok', branch: head.branch, head: head.sha, checkout: await findCheckout(root) };
  return {
    kind: 'detached',
    message: `${root} has no branch checked out`,
    hint: 'Check one out: git switch <branch>.',
  };
}

async function noCommits(root: string, branch: string | null): Promise<RootState> {
  const others = await askGit(root, ['rev-list', '--max-count=1', '--all']);
  if (others.out.trim() === '')
    return { kind: 'no_commits', message: `${root} has no commit yet`, hint: noCommitsHint };
  return {
    kind: 'no_commits',
    message: `The branch ${branch ?? ''}, checked out in ${root}, has no commit or was deleted`,
    hint: 'Check out one that has: git switch <branch>.',
  };
}

function notGit(root: string, said: string): RootState {
  if (/dubious ownership/.test(said)) {
    const hint = `Allow it: git config --global --add safe.directory ${root}`;
    return { kind: 'not_git', message: `${root} belongs to another user, so git refuses it`, hint };
  }
  const why = /not a git repository/.test(said) ? '' : `: ${said.split('\n', 1)[0] ?? ''}`;
  return {
    kind: 'not_git',
    message: `${root} is not under git${why}`,
    hint: 'Run git init there and commit its files.',
  };
}
