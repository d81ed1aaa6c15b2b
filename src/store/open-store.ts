// One process writes bosun.db; others only read.
import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, openSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import type { JobRows } from '../jobs/index.js';
import { archivedBrowsing, archivedPages, archivedRunRows } from './archive/archived-ports.js';
import { type ArchiveRows, archiveRows } from './archive/archives.js';
import { type Checkpoints, checkpointSettings, checkpoints } from './file/checkpoints.js';
import { connect, readPragma, setPragma } from './file/connection.js';
import { gated, inactive } from './file/epoch.js';
import { fileGate } from './file/file-gate.js';
import { chooseVacuum, type FreePages, freePages, rebuildForVacuum } from './file/free-pages.js';
import { inspection } from './file/inspection.js';
import { migrate, requireCurrent } from './file/migrations.js';
import { holdWriting } from './file/sole-writer.js';
import { explained, guarded } from './file/sqlite-failure.js';
import type { JobWriter } from './jobs/job-rows.js';
import type { CallRows } from './jobs/webhook-calls.js';
import type { ChannelRequestRows } from './messages/channel-requests.js';
import type { ThreadCodec } from './messages/thread-places.js';
import type { OutageRows } from './messages/threads.js';
import type { BrowsingRows } from './runs/browsing.js';
import { type CountRows, countRows } from './runs/counts.js';
import type { PageRows } from './runs/paging.js';
import type { Store } from './store.js';
import { committer, readers, storeParts } from './store-parts.js';

export interface OpenOptions {
  readonly threads: readonly ThreadCodec[];
  /** Stored at the first opening (random if absent); afterwards the stored one counts. */
  readonly homeId?: string;
  readonly readonly?: boolean;
  readonly maxBytes?: number;
  /** False: another Bosun may be active, so write nothing. */
  readonly isActive?: () => boolean;
  readonly onFailure?: (error: unknown) => void;
  readonly onWritten?: () => void;
}

export interface SqliteStore extends Store {
  readonly jobs: JobRows;
  readonly calls: CallRows;
  readonly outage: OutageRows;
  readonly archives: ArchiveRows;
  readonly freePages: FreePages;
  /** After it throws, nothing is written. */
  checkFile(): void;
  /** Changes nothing; tests that writing works. */
  probe(): void;
}

const busyTimeoutMs = 5_000;
/** Short, because SQLite waits on the event loop; callers retry. */
const liveBusyTimeoutMs = 100;
// On page splits SQLite walks its cache, so a larger one costs more.
const cacheKiB = 16_384;
const walKeptBytes = 64 * 1024 * 1024;

export function openStore(path: string, options: OpenOptions): SqliteStore {
  let db: Database | null = null;
  let giveBack: () => void = () => undefined;
  try {
    if (options.readonly !== true) giveBack = holdWriting(path);
    db = options.readonly === true ? openReader(path) : openWriter(path, options);
    const opened = store(db, path, options);
    return { ...opened, close: () => closeBoth(opened.close, giveBack) };
  } catch (error) {
    db?.close();
    giveBack();
    throw explained(error, path);
  }
}

function closeBoth(close: () => void, giveBack: () => void): void {
  close();
  giveBack();
}

function openReader(path: string): Database {
  const db = connect(path, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs });
  return prepared(db, () => requireCurrent(db, path));
}

/** Exported for the store's tests only. */
export function openWriter(path: string, options: Pick<OpenOptions, 'maxBytes'>): Database {
  // Created private; side files inherit the mode.
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  const db = connect(path, { timeout: busyTimeoutMs });
  return prepared(db, () => {
    chooseVacuum(db);
    setPragma(db, 'journal_mode', 'WAL');
    setPragma(db, 'synchronous', 'FULL');
    setPragma(db, 'cache_size', -cacheKiB);
    setPragma(db, 'foreign_keys', 'ON');
    setPragma(db, 'journal_size_limit', walKeptBytes);
    migrate(db, path);
    rebuildForVacuum(db);
    if (options.maxBytes !== undefined) limitSize(db, options.maxBytes);
    setPragma(db, 'busy_timeout', liveBusyTimeoutMs);
  });
}

function prepared(db: Database, prepare: () => void): Database {
  try {
    prepare();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function limitSize(db: Database, maxBytes: number): void {
  const pageBytes = readPragma(db, 'page_size');
  setPragma(db, 'max_page_count', Math.max(1, Math.floor(maxBytes / pageBytes)));
}

function store(db: Database, path: string, options: OpenOptions): SqliteStore {
  const { homeId, isActive, onFailure, onWritten = () => undefined } = options;
  const parts = storeParts(db, path, options.threads);
  const { shelfOf } = parts.archived;
  const whole: Omit<
    SqliteStore,
    | 'homeId'
    | 'path'
    | 'isActive'
    | 'jobs'
    | 'calls'
    | 'deliveries'
    | 'wants'
    | 'outage'
    | 'browsing'
    | 'counts'
    | 'pages'
    | 'archives'
    | 'freePages'
    | 'checkFile'
    | 'probe'
    | 'close'
  > = {
    ...archivedRunRows(db, path, shelfOf),
    ...readers(parts),
    commit: committer(db, parts),
  };
  const inside = inspection(db, path);
  const thread: Checkpoints | null = db.readonly ? null : checkpoints(db, path, checkpointSettings);
  const gate =
    thread === null
      ? null
      : fileGate(path, {
          inspect: inside.inspect,
          isWriting: thread.isAtWork,
          onFailure: onFailure ?? (() => undefined),
        });
  const guard = <T extends object>(part: T) => allGuarded(path, part, gate?.note ?? onFailure);
  const file = { checkFile: () => gate?.check() };
  const { checkFile } = guard<typeof file>(file);
  const held = <T extends object>(part: T) => gated(guard(part), mayWriteOf(isActive, checkFile));
  const noted = () => {
    thread?.committed();
    onWritten();
    return true;
  };
  const written = <A extends unknown[], R>(act: (...args: A) => R): ((...args: A) => R) => {
    return (...args) => {
      const result = act(...args);
      noted();
      return result;
    };
  };
  const { commit, receive, setCheckpoint } = whole;
  const watched = { commit: written(commit), receive: written(receive), setCheckpoint: written(setCheckpoint) };
  const probing = { probe: written(prober(db)) };
  const kept = keptHomeId(db, homeId ?? null);
  const archives = archiveRows(db, path);
  const vacuum = freePages(db, (bytes) => gate?.mayShrink(bytes));
  gate?.begin(vacuum.bytes());
  return {
    ...guard(whole),
    ...held<typeof watched>(watched),
    jobs: jobsOf(held(parts.jobs), guard(parts.jobs)),
    calls: held(parts.calls),
    deliveries: held<Store['deliveries']>(parts.deliveries),
    counts: guard<CountRows>(countRows(db)),
    pages: guard<PageRows>(archivedPages(db, shelfOf)),
    wants: guard<ChannelRequestRows>({ open: parts.wants.open }),
    outage: guard<OutageRows>({ told: parts.outage.told }),
    browsing: guard<BrowsingRows>(archivedBrowsing(db, shelfOf)),
    archives: held<ArchiveRows>({ ...archives, clear: () => archives.clear() && noted() }),
    freePages: held<FreePages>({ giveBack: () => vacuum.giveBack() && noted() }),
    checkFile,
    ...held<typeof probing>(probing),
    homeId: kept,
    isActive: isActive ?? (() => true),
    path,
    close: () => {
      thread?.close();
      inside.close();
      db.close();
    },
  };
}

/** The gate looks at the files, which costs more than the read of a row. */
function jobsOf(jobs: JobRows & JobWriter, { payload, written, isHeldBy, isSettled }: JobRows & JobWriter): JobRows {
  const flush = () => (isSettled() ? undefined : jobs.flush());
  return { ...jobs, payload, written, isHeldBy, flush };
}

export function keptHomeId(db: Database, homeId: string | null): string {
  const get = db.prepare<[], { value: string }>(`SELECT value FROM meta WHERE key = 'home_id'`);
  const known = get.get()?.value;
  if (known !== undefined || db.readonly) return known ?? '';
  const drawn = homeId ?? randomBytes(3).toString('hex');
  db.prepare(`INSERT INTO meta (key, value) VALUES ('home_id', ?)`).run(drawn);
  return drawn;
}

function prober(db: Database): () => void {
  const touch = db.prepare(`UPDATE meta SET value = value WHERE key = 'home_id'`);
  return () => void touch.run();
}

function allGuarded<T extends object>(path: string, part: T, onFailure?: (error: unknown) => void): T {
  const entries = Object.entries(part).map(([name, act]) => [name, guarded(path, act, onFailure)]);
  return Object.fromEntries(entries) as T;
}

function mayWriteOf(isActive: (() => boolean) | undefined, checkFile: () => void): () => void {
  return () => {
    checkFile();
    if (isActive?.() === false) throw inactive('another may have taken over');
  };
}
