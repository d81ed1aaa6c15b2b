// Moves the WAL's pages into the database file from a thread of its own. The event loop only runs the end of a
// checkpoint, when few pages are left, because the WAL begins anew only if the writer adds none meanwhile.
import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import { setPragma } from './connection.js';

export interface Checkpoints {
  /** Call it after each commit: starts a checkpoint once the WAL is long enough. */
  committed(): void;
  /** The thread writes the database file. */
  isAtWork(): boolean;
  /** Waits for the thread's checkpoint, so that the writer's connection is the last one. */
  close(): void;
}

export interface CheckpointSettings {
  /** A checkpoint starts at this many pages of the WAL: pages that change often are written once for many commits. */
  readonly pages: number;
  /** The thread goes on until no more pages than this are left for the event loop. */
  readonly fewPages: number;
  /** With more left than this, the event loop leaves the checkpoint incomplete. */
  readonly lastPages: number;
  /** From here on SQLite checkpoints within each commit: the thread is too slow, has died, or a reader holds the WAL. */
  readonly maxPages: number;
  readonly threadFile: () => URL;
}

export const checkpointSettings: CheckpointSettings = {
  pages: 8_000,
  fewPages: 400,
  lastPages: 1_000,
  maxPages: 32_000,
  threadFile: () => new URL('./checkpoint-thread.js', import.meta.url),
};

const maxPasses = 4;
const closeWaitMs = 10_000;

/** In pages. */
interface WalSize {
  readonly log: number;
  readonly checkpointed: number;
}

interface Result extends WalSize {
  /** Why there was no checkpoint. */
  readonly problem: string | null;
}

/** The thread starts with the first checkpoint: most processes never write that much. */
export function checkpoints(db: Database, path: string, settings: CheckpointSettings): Checkpoints {
  const { pages, fewPages, lastPages, maxPages, threadFile } = settings;
  const size = db.prepare<[], WalSize>('PRAGMA wal_checkpoint(NOOP)');
  const passive = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  const { dev, ino } = statSync(path, { bigint: true });
  const closed = new Int32Array(new SharedArrayBuffer(4));
  let thread: Worker | null = null;
  let isAtWork = false;
  let hasFailed = false;
  /** The WAL has to grow to this size before the next checkpoint; more than `pages` after one that a reader held up. */
  let nextAt = pages;

  setPragma(db, 'wal_autocheckpoint', maxPages);

  function start(): Worker {
    const workerData = { path, dev, ino, state: closed.buffer, fewPages, maxPasses };
    const started = new Worker(threadFile(), {
      ...{ workerData, execArgv: [], env: {}, name: 'checkpoints' },
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
    });
    started.unref();
    started.on('message', finish);
    started.on('error', fallBack);
    started.on('exit', fallBack);
    return started;
  }

  function finish({ problem }: Result): void {
    isAtWork = false;
    if (!db.open) return;
    const { log, checkpointed } = measure();
    if (problem === null && log - checkpointed <= lastPages) attempt(() => passive.get());
    const left = measure();
    nextAt = left.checkpointed === left.log ? pages : log + pages;
  }

  function measure(): WalSize {
    return attempt(() => size.get()) ?? { log: 0, checkpointed: 0 };
  }

  /** Without the thread, SQLite checkpoints within commits, as it does by default. */
  function fallBack(): void {
    isAtWork = false;
    hasFailed = true;
    thread = null;
    if (db.open) setPragma(db, 'wal_autocheckpoint', pages);
  }

  return {
    committed() {
      if (isAtWork || hasFailed) return;
      const { log, checkpointed } = measure();
      // A complete WAL begins anew with the next commit.
      if (log < nextAt || log === checkpointed) {
        if (log < pages) nextAt = pages;
        return;
      }
      try {
        thread ??= start();
        thread.postMessage('checkpoint');
        isAtWork = true;
      } catch {
        fallBack();
      }
    },
    isAtWork: () => isAtWork,
    close() {
      const last = thread;
      if (last === null) return;
      thread = null;
      last.removeAllListeners();
      last.postMessage('close');
      // A thread that hangs does not keep Bosun from ending; SQLite finishes its checkpoint at the next start.
      Atomics.wait(closed, 0, 0, closeWaitMs);
      last.on('error', () => undefined);
    },
  };
}

/** The commit before it is on disk and must not fail; a failing disk fails the next one. */
function attempt<T>(act: () => T): T | null {
  try {
    return act();
  } catch {
    return null;
  }
}
