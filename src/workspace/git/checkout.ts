// A project may be a subfolder: git works on the whole checkout, people see paths relative to the project.
import { existsSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { BosunError } from '../../base/index.js';
import { askGit, gitError, gitLine, toText } from './git.js';

export interface Checkout {
  readonly root: string;
  readonly top: string;
  /** '' or ending in a slash. */
  readonly prefix: string;
  readonly prefixBytes: string;
  readonly gitDir: string;
  /** Shared by all worktrees. */
  readonly commonDir: string;
  readonly indexPath: string;
  readonly excludePath: string;
}

export interface Head {
  readonly sha: string;
  /** Null: detached HEAD. */
  readonly branch: string | null;
}

/** Longer lists end with `andMore`. */
export const pathsMax = 10_000;
export const andMore = '… and more';

/** Throws outside a checkout. */
export async function findCheckout(root: string): Promise<Checkout> {
  const args = ['rev-parse', ...places, '--show-prefix'];
  const answer = await askGit(root, args);
  if (answer.exit !== 0) throw gitError(root, args, answer);
  return readCheckout(root, answer.out);
}

const places = [
  ...['--show-toplevel', '--absolute-git-dir', '--git-common-dir'],
  ...['--git-path', 'index', '--git-path', 'info/exclude'],
];

const placesCount = 5;

function readCheckout(root: string, out: string): Checkout {
  const [top = '', gitDir = '', common = '', index = '', exclude = '', ...prefix] = out.replace(/\n$/, '').split('\n');
  // Last, because a path may contain a line break.
  const prefixBytes = prefix.join('\n');
  return {
    root,
    top: toText(top),
    prefix: toText(prefixBytes),
    prefixBytes,
    gitDir: toText(gitDir),
    commonDir: resolve(root, toText(common)),
    indexPath: resolve(root, toText(index)),
    excludePath: resolve(root, toText(exclude)),
  };
}

export interface OpenedHead {
  readonly checkout: Checkout;
  readonly head: Head & { readonly tree: string };
}

export async function hasCommit(root: string): Promise<boolean> {
  return openHead(root).then(
    () => true,
    () => false,
  );
}

/** Throws outside a checkout or without a commit. */
export async function openHead(root: string): Promise<OpenedHead> {
  const quick = await tryOpen(root);
  if (quick !== null) return quick;
  const checkout = await findCheckout(root);
  const head = await readHead(checkout);
  return { checkout, head: { ...head, tree: await gitLine(checkout.top, ['rev-parse', `${head.sha}^{tree}`]) } };
}

/** One git call; null if any part is missing. */
export async function tryOpen(root: string, more = 'HEAD'): Promise<(OpenedHead & { readonly more: string }) | null> {
  const names = ['HEAD^{commit}', 'HEAD^{tree}', `${more}^{tree}`, '--symbolic-full-name', 'HEAD'];
  const answer = await askGit(root, ['rev-parse', ...places, ...names, '--show-prefix']);
  if (answer.exit !== 0) return null;
  const lines = answer.out.split('\n');
  const [sha = '', tree = '', ofMore = '', name = ''] = lines.splice(placesCount, 4);
  const branch = branchOf(name);
  if (branch === undefined) return null;
  return { checkout: readCheckout(root, lines.join('\n')), head: { sha, branch, tree }, more: ofMore };
}

interface BranchHead extends Head {
  readonly branch: string;
}

/** Null: no checkout, or no commit on a branch. */
export async function tryOnBranch(
  root: string,
): Promise<{ readonly checkout: Checkout; readonly head: BranchHead } | null> {
  const kind = ['--is-bare-repository', '--is-inside-work-tree'];
  const names = ['HEAD^{commit}', '--symbolic-full-name', 'HEAD'];
  const answer = await askGit(root, ['rev-parse', ...kind, ...places, ...names, '--show-prefix']);
  const lines = answer.out.split('\n');
  const [isBare, isInside] = lines.splice(0, 2);
  const [sha = '', name = ''] = lines.splice(placesCount, 2);
  const branch = branchOf(name);
  if (answer.exit !== 0 || isBare !== 'false' || isInside !== 'true' || typeof branch !== 'string') return null;
  return { checkout: readCheckout(root, lines.join('\n')), head: { sha, branch } };
}

export async function readHeadOf(folder: string): Promise<Head> {
  return readHead(await findCheckout(folder));
}

export async function readHead(checkout: Checkout): Promise<Head> {
  const head = await findHead(checkout.top);
  if (head !== null) return head;
  throw new BosunError('git', `The repository of ${checkout.root} has no commit yet`, { hint: noCommitsHint });
}

/** Null: the branch has no commit. */
export async function findHead(folder: string): Promise<Head | null> {
  const both = await askGit(folder, ['rev-parse', 'HEAD^{commit}', '--symbolic-full-name', 'HEAD']);
  const [commit = '', name = ''] = both.out.split('\n');
  const branch = both.exit === 0 ? branchOf(name) : undefined;
  if (branch !== undefined) return { sha: commit, branch };
  // A repository without commits, or with another ref named HEAD.
  const args = ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'];
  const sha = await askGit(folder, args);
  if (sha.exit > 1) throw gitError(folder, args, sha);
  return sha.exit === 1 ? null : { sha: sha.out.trim(), branch: await readBranch(folder) };
}

export const noCommitsHint = 'Make the first one: git commit --allow-empty -m "start".';

export async function readBranch(folder: string): Promise<string | null> {
  const args = ['symbolic-ref', '--quiet', 'HEAD'];
  const answer = await askGit(folder, args);
  if (answer.exit > 1) throw gitError(folder, args, answer);
  const name = answer.exit === 0 ? answer.out.trim() : 'HEAD';
  return branchOf(name) ?? toText(name);
}

/** Undefined: not a branch. Full names, because git shortens to `heads/main` if a tag has the name. */
function branchOf(name: string): string | null | undefined {
  if (name === 'HEAD') return null;
  return name.startsWith(heads) ? toText(name.slice(heads.length)) : undefined;
}

const heads = 'refs/heads/';

export function unfinishedIn(gitDir: string): { readonly what: string; readonly way: string } | null {
  const found = unfinished.find(([file]) => existsSync(join(gitDir, file)));
  return found === undefined ? null : { what: found[1], way: found[2] };
}

const unfinished: readonly (readonly [file: string, what: string, way: string])[] = [
  ['rebase-merge', 'a rebase', 'Finish it, or git rebase --abort.'],
  ['rebase-apply', 'a rebase', 'Finish it, or git rebase --abort (git am --abort).'],
  ['MERGE_HEAD', 'a merge', 'Finish it, or git merge --abort.'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick', 'Finish it, or git cherry-pick --abort.'],
  ['REVERT_HEAD', 'a revert', 'Finish it, or git revert --abort.'],
];

/** At most `pathsMax`, relative to the project. */
export function tellPaths(checkout: Checkout, paths: readonly string[]): string[] {
  const told = paths.slice(0, pathsMax).map((path) => tellPath(checkout, toText(path)));
  return paths.length > pathsMax ? [...told, andMore] : told;
}

function tellPath(checkout: Checkout, path: string): string {
  if (path.startsWith(checkout.prefix)) return path.slice(checkout.prefix.length);
  return posix.relative(checkout.prefix, path) + (path.endsWith('/') ? '/' : '');
}

export async function projectPrefix(root: string): Promise<string> {
  return (await findCheckout(root)).prefix;
}
