// A run's branch starts at HEAD, so creating it moves no file. A crash while leaving it is resumed.
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeOwnFile } from '../../base/index.js';
import { listForeign } from '../checkpoint/foreign-changes.js';
import { moveCheckout } from '../checkpoint/move-checkout.js';
import { type Checkout, findCheckout, type Head, readHead, tellPaths, unfinishedIn } from '../git/checkout.js';
import { askGit, git } from '../git/git.js';
import { type Blocked, blocked, unattended } from '../git/unattended.js';
import { findWorktree, listWorktrees } from '../git/worktree-list.js';
import { deleteBranch, findCommit, hasBranch } from '../worktree/worktree.js';
import { type BranchNote, noteBranch, readBranchNote } from './run-branch-note.js';

export interface RunBranch {
  readonly name: string;
  readonly base: string;
}

const namesMax = 1_000;
const slugMaxChars = 40;
const leavingName = 'bosun-leaving';
const toldMax = 10;

export interface BranchWanted {
  readonly key: string;
  readonly run: string;
  readonly task: string;
  /** The worktree; null: the checkout itself. */
  readonly path: string | null;
  /** Absent: made from run and task. */
  readonly name?: string;
}

/** Records the free name first, so a retry gets the same one. */
export async function planBranch(
  root: string,
  head: Head & { readonly branch: string },
  { key, run, task, path, name: wanted }: BranchWanted,
): Promise<BranchNote | Blocked> {
  const known = await readBranchNote(root, key);
  if (known !== null && (head.branch === known.name || (await isUsable(root, known, head)))) return known;
  const there = path === null ? undefined : await findWorktree(root, path);
  if (known !== null && there?.branch === known.name) return known;
  const prefix = (await hasBranch(root, 'bosun')) ? 'bosun-' : 'bosun/';
  const plain = wanted === undefined ? `${prefix}${run}${slugOf(task)}` : await besideBranches(root, wanted);
  for (let n = 1; n <= namesMax; n++) {
    const name = n === 1 ? plain : `${plain}-${n}`;
    if (await hasBranch(root, name)) continue;
    const note = { key, name, base: head.branch, at: head.sha };
    await noteBranch(root, note);
    return note;
  }
  return blocked(`${namesMax} branches named ${plain} already exist in ${root}`, 'Delete some of them.');
}

/** A branch `feature` leaves no room for `feature/cart`. */
async function besideBranches(root: string, name: string): Promise<string> {
  const parts = name.split('/');
  for (let end = 1; end < parts.length; end += 1) {
    if (await hasBranch(root, parts.slice(0, end).join('/'))) return parts.join('-');
  }
  return name;
}

async function isUsable(root: string, note: BranchNote, head: Head): Promise<boolean> {
  const tip = await findCommit(root, `refs/heads/${note.name}`);
  return note.base === head.branch && note.at === head.sha && (tip === null || tip === note.at);
}

function slugOf(task: string): string {
  const words = task.trim().split('\n', 1)[0]?.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase() ?? '';
  const slug = words
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, slugMaxChars)
    .replace(/^-+|-+$/g, '');
  return slug === '' ? '' : `-${slug}`;
}

export async function checkOutBranch(root: string, { name, at }: BranchNote): Promise<void> {
  const { top } = await findCheckout(root);
  if (!(await hasBranch(root, name))) {
    await git(top, ['branch', '--quiet', '--no-track', '--', name, at], { config: unattended });
  }
  await git(top, ['symbolic-ref', '-m', `bosun: to ${name}`, 'HEAD', `refs/heads/${name}`]);
}

export type Fork =
  /** `from` null: the base is gone. */
  { readonly kind: 'fork'; readonly from: string | null; readonly tip: string; readonly count: number } | Blocked;

export async function findForkOf(root: string, { name, base }: RunBranch): Promise<Fork> {
  const tip = await findCommit(root, `refs/heads/${name}`);
  if (tip === null) return blocked(`the branch ${name} is gone`, 'git reflog shows its last commit.');
  const shared = await askGit(root, ['merge-base', tip, `refs/heads/${base}`]);
  if (shared.exit !== 0) return { kind: 'fork', from: null, tip, count: 1 };
  const from = shared.out.trim();
  const count = Number.parseInt(await git(root, ['rev-list', '--count', `${from}..${tip}`, '--']), 10);
  return { kind: 'fork', from, tip, count };
}

export type Left =
  /** Deleted: it had no commits of its own. */
  { readonly kind: 'left'; readonly branch: 'kept' | 'deleted' } | Blocked;

/** All or nothing. `carries`: uncommitted changes go along, unless the branches differ in those files. */
export async function leaveBranch(
  root: string,
  { name, base, carries = false }: RunBranch & { readonly carries?: boolean },
): Promise<Left> {
  const checkout = await findCheckout(root);
  const head = await readHead(checkout);
  if (head.branch !== name) return { kind: 'left', branch: await dropEmpty(root, { name, base }) };
  const stays = `${checkout.root} stays on the branch ${name}`;
  const to = await findCommit(root, `refs/heads/${base}`);
  if (to === null)
    return blocked(`${stays}: the branch ${base} no longer exists`, 'Check out another: git switch <branch>.');
  const refusal = await findRefusal(checkout, base, carries);
  if (refusal !== null) return blocked(`${stays}: ${refusal.why}`, refusal.hint);
  const leaving = join(checkout.gitDir, leavingName);
  writeOwnFile(checkout.gitDir, leaving, '');
  const moved = await moveCheckout(checkout, head.sha, to, () => pointTo(checkout, base));
  if (moved.kind === 'undone') throw moved.cause;
  if (moved.kind === 'blocked') return blocked(`${stays}: ${moved.why}`, moved.hint);
  await rm(leaving, { force: true });
  return { kind: 'left', branch: await dropEmpty(root, { name, base }) };
}

function pointTo({ top }: Checkout, branch: string): Promise<string> {
  return git(top, ['symbolic-ref', '-m', `bosun: back to ${branch}`, 'HEAD', `refs/heads/${branch}`]);
}

async function findRefusal(checkout: Checkout, base: string, carries: boolean): Promise<Omit<Blocked, 'kind'> | null> {
  const begun = unfinishedIn(checkout.gitDir);
  if (begun !== null) return { why: `${begun.what} is unfinished`, hint: begun.way };
  const user = (await listWorktrees(checkout.root)).find((one) => one.branch === base);
  if (user !== undefined)
    return { why: `${base} is checked out in ${user.path}`, hint: 'Check out another branch there.' };
  // An interrupted try moved them already.
  if (carries || existsSync(join(checkout.gitDir, leavingName))) return null;
  const changes = tellPaths(checkout, await listForeign(checkout));
  if (changes.length === 0) return null;
  const more = changes.length > toldMax ? ` and ${changes.length - toldMax} more` : '';
  return {
    why: `it holds uncommitted changes (${changes.slice(0, toldMax).join(', ')}${more})`,
    hint: `Commit or revert them, then: git switch ${base}`,
  };
}

async function dropEmpty(root: string, { name, base }: RunBranch): Promise<'kept' | 'deleted'> {
  const tip = await findCommit(root, `refs/heads/${name}`);
  if (tip === null) return 'deleted';
  const isInBase = await askGit(root, ['merge-base', '--is-ancestor', tip, `refs/heads/${base}`]);
  const isUsed = (await listWorktrees(root)).some((one) => one.branch === name);
  if (isInBase.exit !== 0 || isUsed) return 'kept';
  await deleteBranch(root, name);
  return 'deleted';
}
