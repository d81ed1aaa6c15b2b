// Moves WAL pages into the database file in a thread. The event loop ends each checkpoint, with few pages left, because
// the WAL begins anew only if no writer adds pages meanwhile.
import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import { setPragma } from './connection.js';

export interface Checkpoints {
  /** After each commit; starts a checkpoint once the WAL is long enough. */
  committed(): void;
  /** The thread writes the file. */
  isAtWork(): boolean;
  /** Waits for the thread, so that the writer's connection is the last. */
  close(): void;
}

export interface CheckpointSettings {
  /** Starts at so many WAL pages: hot pages are written once for many commits. */
  readonly pages: number;
  /** The thread stops at so few left for the event loop. */
  readonly fewPages: number;
  /** With more left, the event loop leaves it incomplete. */
  readonly lastPages: number;
  /** Then SQLite checkpoints within commits: the thread is slow or dead, or a reader holds the WAL. */
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

/** Sizes in pages. */
interface WalSize {
  readonly log: number;
  readonly checkpointed: number;
}

interface Result extends WalSize {
  /** Of the last attempt. */
  readonly problem: string | null;
}

/** Lazy: most processes never write that much. */
export function checkpoints(db: Database, path: string, settings: CheckpointSettings): Checkpoints {
  const { pages, fewPages, lastPages, maxPages, threadFile } = settings;
  const size = db.prepare<[], WalSize>('PRAGMA wal_checkpoint(NOOP)');
  const passive = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  const { dev, ino } = statSync(path, { bigint: true });
  const closed = new Int32Array(new SharedArrayBuffer(4));
  let thread: Worker | null = null;
  let isAtWork = false;
  let hasFailed = false;
  /** The next checkpoint's WAL size; more than `pages` if a reader held one up. */
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

  /** Without the thread SQLite checkpoints within commits. */
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
      // A thread that hangs must not keep Bosun; SQLite finishes at the next start.
      Atomics.wait(closed, 0, 0, closeWaitMs);
      last.on('error', () => undefined);
    },
  };
}

/** The commit is on disk and must not fail; a failing disk fails the next. */
function attempt<T>(act: () => T): T | null {
  try {
    return act();
  } catch {
    return null;
  }
}
