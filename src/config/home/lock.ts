// One Bosun per home. `lock` names the holder and is moved into place whole.
// Takeover: link a draft to `lock.after-<dead holder>`, which only one process can. That process is the heir, even if
// it dies before it moves the draft over `lock` (its own heir continues). Too late: `lock` no longer names the dead
// holder.
// Invariant: no takeover removes a living process's lock.
import { createHash, randomBytes } from 'node:crypto';
import { type FSWatcher, readdirSync, readFileSync, rmSync, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { BosunError, errnoOf, isAlive, makeFile, processStart, replaceFile } from '../../base/index.js';
import type { Home } from './home.js';

export interface LockInfo {
  /** Null: not listening. */
  readonly port: number | null;
  readonly role: 'up' | 'cli';
}

export interface LockHolder extends LockInfo {
  readonly pid: number;
}

export interface Lock {
  update(change: Partial<LockInfo>): void;
  /** No-op if another holds it. */
  release(): void;
}

export type Acquired = ({ readonly kind: 'held' } & LockHolder) | { readonly kind: 'acquired'; readonly lock: Lock };

type LockedHome = Pick<Home, 'lockPath'>;

export async function acquireLock(home: LockedHome, want: { waitMs: number; info: LockInfo }): Promise<Acquired> {
  const own: Content = { ...ownProcess(), ...want.info };
  const deadline = Date.now() + want.waitMs;
  for (;;) {
    const holder = explaining(home.lockPath, () => tryTake(home.lockPath, own));
    if (holder === null) return { kind: 'acquired', lock: lockOf(home.lockPath, own) };
    const leftMs = deadline - Date.now();
    if (leftMs <= 0) return { kind: 'held', ...holder };
    await changeOf(home.lockPath, Math.min(leftMs, recheckMs));
  }
}

const editPauseMs = 10;

/** Serializes edits of a file across processes. Synchronous: an edit takes milliseconds. */
export function underEditLock<T>(path: string, waitMs: number, act: () => T): T {
  const lockPath = `${path}.lock`;
  const own: Content = { ...ownProcess(), port: null, role: 'cli' };
  const deadline = performance.now() + waitMs;
  while (explaining(lockPath, () => tryTake(lockPath, own)) !== null) {
    if (performance.now() >= deadline)
      throw new BosunError('busy_home', `Other processes keep changing ${path}`, { hint: 'Try again.' });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, editPauseMs);
  }
  try {
    return act();
  } finally {
    lockOf(lockPath, own).release();
  }
}

function ownProcess(): Pick<Content, 'pid' | 'startedAt' | 'token'> {
  return { pid: process.pid, startedAt: processStart(process.pid), token: randomBytes(16).toString('hex') };
}

/** Null: no living holder. */
export function readLock(home: LockedHome): LockHolder | null {
  const found = explaining(home.lockPath, () => readText(home.lockPath));
  return found === null ? null : livingHolder(found);
}

const contentSchema = z.object({
  pid: z.int().positive(),
  startedAt: z.string().max(100),
  port: z.int().min(0).max(65_535).nullable(),
  role: z.enum(['up', 'cli']),
  token: z.string().min(1).max(100),
});

type Content = z.infer<typeof contentSchema>;

/** A holder's death changes no file, so poll. */
const recheckMs = 250;
/** Each link is a process that died in a takeover; so many mean a bug. */
const maxHeirs = 100;

/** Null: `own` holds the lock now. */
function tryTake(path: string, own: Content): LockHolder | null {
  const text = JSON.stringify(own);
  for (let round = 0; round < maxHeirs; round += 1) {
    if (makeFile(path, text)) {
      clearLeftovers(path);
      return null;
    }
    const result = tryInherit(path, text);
    if (result !== 'again') return result;
  }
  throw new BosunError('busy_home', `Other processes keep taking ${path}`, { hint: 'Try again.' });
}

function tryInherit(path: string, text: string): LockHolder | null | 'again' {
  const first = readText(path);
  if (first === null) return 'again';
  let last = first;
  for (let heirs = 0; heirs < maxHeirs; heirs += 1) {
    const holder = livingHolder(last);
    if (holder !== null) return holder;
    const heirPath = `${path}.after-${nameOf(last)}`;
    if (makeFile(heirPath, text)) {
      if (readText(path) !== first) {
        rmSync(heirPath, { force: true });
        return 'again';
      }
      replaceFile(path, text);
      clearLeftovers(path);
      return null;
    }
    const next = readText(heirPath);
    if (next === null) return 'again';
    last = next;
  }
  throw new BosunError('busy_home', `Too many dead processes left ${path} behind`, {
    hint: `If no Bosun is running, delete ${path}*.`,
  });
}

function lockOf(path: string, own: Content): Lock {
  let content = own;
  const isMine = (): boolean => contentOf(readText(path) ?? '')?.token === own.token;
  return {
    update(change) {
      explaining(path, () => {
        if (!isMine()) {
          throw new BosunError('busy_home', `This process no longer owns ${path}`, {
            hint: 'The file was deleted or replaced. Stop the other Bosun and restart this one.',
          });
        }
        content = { ...content, ...change };
        replaceFile(path, JSON.stringify(content));
      });
    },
    release() {
      explaining(path, () => {
        if (isMine()) rmSync(path, { force: true });
      });
    },
  };
}

/** Only the holder may: other heirs have lost, and drafts are orphans. */
function clearLeftovers(path: string): void {
  const [folder, name] = [dirname(path), basename(path)];
  for (const file of readdirSync(folder)) {
    const draft = /\.draft-(\d+)-[0-9a-f]+$/.exec(file);
    const isDeadDraft = draft !== null && !isAlive(Number(draft[1]));
    const isLostHeir = file.startsWith(`${name}.after-`) && draft === null;
    if (isDeadDraft || isLostHeir) rmSync(join(folder, file), { force: true });
  }
}

function livingHolder(text: string): LockHolder | null {
  const content = contentOf(text);
  // No Bosun writes such content: damaged, so it names no holder.
  if (content === null || !isAlive(content.pid, content.startedAt)) return null;
  return { pid: content.pid, port: content.port, role: content.role };
}

function contentOf(text: string): Content | null {
  try {
    return contentSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function nameOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Resolves after a change in the folder, or after `atMostMs`. */
function changeOf(path: string, atMostMs: number): Promise<void> {
  return new Promise((resolve) => {
    let watcher: FSWatcher | null = null;
    const end = (): void => {
      clearTimeout(timer);
      watcher?.close();
      resolve();
    };
    const timer = setTimeout(end, atMostMs);
    try {
      watcher = watch(dirname(path), (_, name) => {
        if (name === null || name === basename(path)) end();
      });
      // Best effort: the caller polls too.
      watcher.on('error', () => watcher?.close());
    } catch {
      watcher = null;
    }
  });
}

function explaining<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    if (cause instanceof BosunError) throw cause;
    throw new BosunError('disk', `Cannot lock ${path} (${errnoOf(cause) || 'unknown error'})`, {
      hint: 'Give the user that runs Bosun write access to that folder, and check that the disk is not full.',
      cause,
    });
  }
}
