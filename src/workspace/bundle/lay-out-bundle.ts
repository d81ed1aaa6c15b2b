// The worktree stays between attempts for its ignored files; a broken one is recreated.
import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join, posix, relative } from 'node:path';
import { BosunError, inTurn, isInside } from '../../base/index.js';
import { withScratchIndex } from '../changes/scratch-index.js';
import { listChanges } from '../checkpoint/move-checkout.js';
import { type Conflict, moveFiles, setIndex, snapshotAgainst } from '../checkpoint/restore.js';
import { type Checkout, findCheckout } from '../git/checkout.js';
import { askGit, git, lastLines, toBytes, toText } from '../git/git.js';
import { excludeOwnFilesOf } from '../git/own-files.js';
import { readPlain } from '../git/read-within.js';
import { unprompted } from '../git/remote.js';
import { type Blocked, blocked, unattended } from '../git/unattended.js';
import { findWorktree, otherCheckoutOf, realPath } from '../git/worktree-list.js';
import { findBarrier } from './bundle-disk.js';
import { findOwn, findShared, unloadFiles } from './bundle-files.js';
import { type Packed, type PackedFile, readPacked } from './bundle-note.js';

export interface LayOut {
  readonly clone: string;
  readonly checkout: string;
  readonly commit: string;
  readonly prefix: string;
  readonly shared: string;
}

type LaidOut = { readonly kind: 'ready'; readonly folder: string } | Blocked;

const layOutMs = 600_000;

export async function layOut(request: LayOut): Promise<LaidOut> {
  const { clone, checkout, commit } = request;
  if (!isPlainPrefix(request.prefix)) return blocked(`"${request.prefix}" is not a folder in a checkout`, 'Retry.');
  const packed = await readPacked(clone, commit, () => true);
  if (packed.kind === 'blocked') return packed;
  const done = await inTurn(await realPath(clone), () => lay(request, packed));
  return done ?? blocked(`${checkout} was not prepared`, 'Retry.');
}

async function lay(request: LayOut, packed: Packed): Promise<LaidOut> {
  const { clone, checkout } = request;
  const there = await findWorktree(clone, checkout);
  if (there?.state === 'whole' && !there.isMain) {
    const reused = await fill(request, packed).catch((error: unknown) => failed(checkout, error));
    if (reused.kind === 'ready') return reused;
  }
  // Only copies are in it: recreate it after any failure.
  const isKnown = there !== undefined && !there.isMain && there.state !== 'foreign';
  const refusal = await clear(request, isKnown);
  if (refusal !== null) return refusal;
  const args = ['worktree', 'add', '--quiet', '--force', '--force', '--no-checkout', '--detach', checkout];
  const added = await askGit(clone, [...args, packed.parent], { config: unattended, timeoutMs: layOutMs });
  if (added.exit !== 0)
    return blocked(
      `Cannot create ${checkout}: ${lastLines(added.err, 4)}`,
      'Run git worktree list to see the existing worktrees.',
    );
  return fill(request, packed).catch((error: unknown) => failed(checkout, error));
}

function failed(checkout: string, error: unknown): Blocked {
  if (!(error instanceof BosunError)) throw error;
  return blocked(
    `Cannot prepare ${checkout}: ${error.message}`,
    error.hint ?? 'Check the path in the message, then retry.',
  );
}

/** Only what Bosun made, or an empty folder. */
async function clear({ clone, checkout }: LayOut, isKnown: boolean): Promise<Blocked | null> {
  if (existsSync(checkout) && !isKnown && !(await isRemains(clone, checkout))) {
    return blocked(`${checkout} already exists and is not a checkout of Bosun's`, `Move ${checkout} away, then retry.`);
  }
  await rm(checkout, { recursive: true, force: true, maxRetries: 3 });
  await git(clone, ['worktree', 'prune', '--expire=now'], { config: unattended });
  return null;
}

/** Also a worktree whose clone was recreated. */
async function isRemains(clone: string, checkout: string): Promise<boolean> {
  const link = await readPlain(join(checkout, '.git')).catch(() => '');
  const [, named] = /^gitdir: (.*)$/m.exec(link) ?? [];
  if (named !== undefined) return isInside(await realPath(clone), await realPath(named));
  const names = await readdir(checkout).catch(() => ['']);
  return names.length === 0;
}

async function fill(request: LayOut, packed: Packed): Promise<LaidOut> {
  const { clone, checkout: path, prefix, shared } = request;
  const top = await findCheckout(path);
  const folder = join(path, prefix);
  const prefixText = prefix === '' ? '' : `${prefix.replace(/\/+$/, '')}/`;
  const prefixBytes = Buffer.from(prefixText, 'utf8').toString('latin1');
  const checkout: Checkout = { ...top, root: folder, prefix: prefixText, prefixBytes };
  await mend(checkout.gitDir);
  await excludeOwnFilesOf(checkout);
  await point(clone, checkout, packed);
  const stuck = await moveTo(checkout, packed);
  if (stuck !== null) return blocked(`Cannot prepare ${path}: ${stuck.why}`, stuck.hint);
  const barrier = await findBarrier(path, `${prefixBytes}x`);
  if (barrier !== null)
    return blocked(`${folder} leads outside ${path} at ${barrier}`, 'The project must be a real folder, not a link.');
  await mkdir(folder, { recursive: true });
  const own = await findOwn(checkout, packed.work);
  await unloadFiles(checkout.top, folder, packed.own, missing(own.files, packed.own));
  await laySharedOut(checkout, shared, packed);
  return { kind: 'ready', folder };
}

async function laySharedOut(checkout: Checkout, shared: string, packed: Packed): Promise<void> {
  const way = relative(checkout.root, shared);
  const isBelow = isInside(checkout.root, shared);
  const bytes = Buffer.from(way, 'utf8').toString('latin1');
  const barrier = isBelow ? await findBarrier(checkout.root, posix.join(bytes, 'x')) : null;
  if (barrier !== null) {
    throw new BosunError('disk', `${shared} leads outside ${checkout.root} at ${barrier}`, {
      hint: 'The repository contains a link there. Remove it, because Bosun needs that path.',
    });
  }
  await mkdir(shared, { recursive: true });
  const there = await findShared(shared);
  await unloadFiles(checkout.top, shared, packed.shared, missing(there.files, packed.shared));
}

function missing(there: readonly { readonly path: string }[], wanted: readonly PackedFile[]): string[] {
  const names = new Set(wanted.map(({ path }) => path));
  return there.map(({ path }) => path).filter((path) => !names.has(path));
}

const unfinished = [
  ...['rebase-merge', 'rebase-apply', 'sequencer', 'MERGE_HEAD', 'MERGE_MSG', 'MERGE_MODE', 'MERGE_AUTOSTASH'],
  ...['CHERRY_PICK_HEAD', 'REVERT_HEAD', 'AUTO_MERGE', 'SQUASH_MSG', 'BISECT_LOG', 'BISECT_START'],
  ...['index.lock', 'HEAD.lock', 'info/sparse-checkout'],
] as const;

/** A killed git or agent leaves unfinished operations. */
async function mend(gitDir: string): Promise<void> {
  for (const name of unfinished) await rm(join(gitDir, name), { recursive: true, force: true });
  const index = await lstat(join(gitDir, 'index')).catch(() => null);
  if (index !== null && !index.isFile()) await rm(join(gitDir, 'index'), { recursive: true, force: true });
}

async function point(clone: string, { top }: Checkout, { parent, note }: Packed): Promise<void> {
  const options = { config: unattended };
  await git(top, ['update-ref', '--no-deref', '-m', 'bosun: laid out', 'HEAD', parent], options);
  const { branch } = note;
  if (branch === null || !(await isBranchName(clone, branch))) return;
  if ((await otherCheckoutOf(top, branch)) !== null) return;
  // Best effort: an existing branch `a` blocks `a/b`.
  const made = await askGit(top, ['update-ref', '-m', 'bosun: laid out', `refs/heads/${branch}`, parent], options);
  if (made.exit === 0)
    await git(top, ['symbolic-ref', '-m', 'bosun: laid out', 'HEAD', `refs/heads/${branch}`], options);
}

export async function isBranchName(folder: string, branch: string): Promise<boolean> {
  if (branch.startsWith('-')) return false;
  return (await askGit(folder, ['check-ref-format', `refs/heads/${branch}`])).exit === 0;
}

async function moveTo(checkout: Checkout, packed: Packed): Promise<Conflict | null> {
  const env = await unprompted(checkout.top);
  const moved = await withScratchIndex(checkout, async (usual) => {
    const options = { ...usual.options, env: { ...env, ...usual.options.env }, timeoutMs: layOutMs };
    const scratch = { ...usual, options };
    const present = await snapshotAgainst(scratch, packed.work);
    return moveFiles(scratch, present, packed.work);
  });
  if (moved !== null) return moved;
  await setIndex(checkout, packed.parent, unattended);
  await stageIgnored(checkout, packed);
  return null;
}

/** The bundle tracks files that git ignores; only the index keeps them tracked. */
async function stageIgnored(checkout: Checkout, { parent, work }: Packed): Promise<void> {
  const { top } = checkout;
  const added = (await listChanges(checkout, parent, work)).filter(({ status }) => status === 'A');
  if (added.length === 0) return;
  const input = toBytes(added.map(({ path }) => path));
  const answer = await askGit(top, ['check-ignore', '--no-index', '-z', '--stdin'], { input, timeoutMs: layOutMs });
  const ignored = new Set(answer.out.split('\0'));
  const lines = added
    .filter(({ path }) => ignored.has(path))
    .map(({ newMode, newSha, path }) => `${newMode} ${newSha}\t${path}`);
  const staging = ['update-index', '-z', '--index-info'];
  if (lines.length > 0) await git(top, staging, { config: unattended, input: toBytes(lines) });
}

function isPlainPrefix(prefix: string): boolean {
  const parts = prefix.replace(/\/+$/, '').split('/');
  return (
    prefix === '' || parts.every((part) => part !== '' && part !== '.' && part !== '..' && toText(part) !== '.git')
  );
}
