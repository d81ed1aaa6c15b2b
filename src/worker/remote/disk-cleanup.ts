// The disk holds only copies. Removes checkouts unused for 7 days or beyond the newest 20, and clones unused for 30
// days.
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { acquireLock, type Home } from '../../config/index.js';
import { pruneWorktrees } from '../../workspace/index.js';
import { clonesFolder, keptName, lockName, repositoryName, usedName } from './clone-checkouts.js';

export interface HousekeepingParts {
  readonly home: Pick<Home, 'dir'>;
  readonly log: (message: string) => void;
}

const dayMs = 24 * 3_600_000;
const checkoutKeptMs = 7 * dayMs;
const cloneKeptMs = 30 * dayMs;
const mostCheckouts = 20;
const mostLookedAt = 10_000;
const info = { port: null, role: 'cli' } as const;

interface Aged {
  readonly path: string;
  readonly usedAt: number;
}

/** Returns removed paths; the next call retries failures. */
export async function keepHouse(parts: HousekeepingParts): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const clone of agedIn(join(parts.home.dir, clonesFolder))) {
    try {
      const gone = await tidyClone(clone, Date.now());
      removed.push(...gone);
    } catch (error) {
      parts.log(`cannot clean up ${clone.path}: ${String(error)}`);
    }
  }
  if (removed.length > 0) parts.log(`removed unused folders: ${removed.join(', ')}`);
  return removed;
}

async function tidyClone(clone: Aged, now: number): Promise<readonly string[]> {
  const checkouts = agedIn(clone.path);
  const isTooMany = (path: string, at: number) => at >= mostCheckouts && !existsSync(join(path, keptName));
  const old = checkouts.filter(({ path, usedAt }, at) => now - usedAt > checkoutKeptMs || isTooMany(path, at));
  const removed: string[] = [];
  for (const { path } of old) if (await removeUnused(path)) removed.push(path);
  if (removed.length > 0) await underLock(`${join(clone.path, repositoryName)}.lock`, () => prune(clone.path));
  const isLeft = removed.length < checkouts.length;
  if (isLeft || now - clone.usedAt <= cloneKeptMs) return removed;
  await underLock(`${join(clone.path, repositoryName)}.lock`, async () => remove(clone.path));
  return [...removed, clone.path];
}

async function removeUnused(place: string): Promise<boolean> {
  return underLock(join(place, lockName), async () => remove(place));
}

async function underLock(lockPath: string, act: () => Promise<void>): Promise<boolean> {
  const held = await acquireLock({ lockPath }, { waitMs: 0, info });
  if (held.kind === 'held') return false;
  try {
    await act();
    return true;
  } finally {
    held.lock.release();
  }
}

async function prune(clone: string): Promise<void> {
  const repository = join(clone, repositoryName);
  if (existsSync(repository)) await pruneWorktrees(repository);
}

/** Renames first, so that a concurrent process starts afresh; the next cleanup finds what a crash leaves. */
function remove(path: string): void {
  const gone = join(dirname(path), `gone-${randomBytes(6).toString('hex')}`);
  renameSync(path, gone);
  rmSync(gone, { recursive: true, force: true, maxRetries: 3 });
}

function agedIn(folder: string): readonly Aged[] {
  const names = namesIn(folder).slice(0, mostLookedAt);
  const aged = names.flatMap((name) => {
    const path = join(folder, name);
    const used = statSync(join(path, usedName), { throwIfNoEntry: false });
    return used === undefined ? [] : [{ path, usedAt: used.mtimeMs }];
  });
  return aged.sort((one, other) => other.usedAt - one.usedAt);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? [one.name] : []));
  } catch {
    return [];
  }
}
