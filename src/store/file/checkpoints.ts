// A thread moves WAL pages into the database file. The event loop ends each checkpoint when few pages are left, because
// the WAL begins anew only if no writer adds pages meanwhile.
import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import { setPragma } from './connection.js';

export interface Checkpoints {
  /** Starts a checkpoint once the WAL is long enough. */
  committed(): void;
  isAtWork(): boolean;
  /** Waits for the thread, so that the writer's connection closes last. */
  close(): void;
}

export interface CheckpointSettings {
  /** In WAL pages; a high value writes hot pages once for many commits. */
  readonly pages: number;
  /** The thread stops here and leaves the rest to the event loop. */
  readonly fewPages: number;
  /** Above this the event loop leaves the checkpoint incomplete. */
  readonly lastPages: number;
  /** Beyond this the thread is slow or dead, or a reader holds the WAL: SQLite checkpoints within commits. */
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

interface WalSize {
  readonly log: number;
  readonly checkpointed: number;
}

interface Result extends WalSize {
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
  /** In WAL pages; more than `pages` after a reader held up a checkpoint. */
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
      // Once complete, the WAL begins anew with the next commit.
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
      // A hung thread must not keep Bosun alive; SQLite finishes at the next start.
      Atomics.wait(closed, 0, 0, closeWaitMs);
      last.on('error', () => undefined);
    },
  };
}

/** The commit is on disk, so it must not fail; a failing disk fails the next one. */
function attempt<T>(act: () => T): T | null {
  try {
    return act();
  } catch {
    return null;
  }
}
