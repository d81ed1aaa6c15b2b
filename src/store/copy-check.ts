// Inspects a copy of the database before it is opened.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import type { Database } from 'better-sqlite3';
import { BosunError } from '../base/index.js';
import { connect } from './file/connection.js';
import { epochReader, writeEpoch } from './file/epoch.js';
import { holdWriting } from './file/sole-writer.js';
import { explained } from './file/sqlite-failure.js';
import { keptHomeId, openWriter } from './open-store.js';

export interface CopyLook {
  readonly homeId: string | null;
  /** '': never active as one of several. */
  readonly epoch: string;
}

export function lookAtCopy(path: string): CopyLook | null {
  return existsSync(path) ? reading(path, { readonly: true }, lookIn) : null;
}

/** Includes an integrity check: no other process has a fetched copy open. */
export async function checkCopy(
  path: string,
  signal: AbortSignal,
): Promise<CopyLook & { readonly damage: string | null }> {
  const found = await quickCheck(path, signal);
  return found === 'ok' ? { ...reading(path, {}, lookIn), damage: null } : { homeId: null, epoch: '', damage: found };
}

const checking = `
const [sqlite, path] = process.argv.slice(1);
const tell = (found) => process.stdout.write(String(found));
try {
  const db = new (require(sqlite))(path, { fileMustExist: true });
  tell(db.prepare('PRAGMA quick_check(1)').pluck().get());
} catch (error) {
  tell(error.message);
}`;

/** In a process of its own: it reads every page while the caller must renew a lease. */
async function quickCheck(path: string, signal: AbortSignal): Promise<string> {
  const sqlite = createRequire(import.meta.url).resolve('better-sqlite3');
  const run = promisify(execFile);
  try {
    const { stdout } = await run(process.execPath, ['-e', checking, sqlite, path], { signal, killSignal: 'SIGKILL' });
    return stdout;
  } catch (cause) {
    throw new BosunError('bad_database', `cannot check the whole of ${path}`, { cause });
  }
}

export function keepEpoch(path: string, homeId: string, epoch: string): void {
  const giveBack = holdWriting(path);
  try {
    const db = openWriter(path, {});
    try {
      keptHomeId(db, homeId);
      writeEpoch(db, epoch);
    } finally {
      db.close();
    }
  } catch (error) {
    throw explained(error, path);
  } finally {
    giveBack();
  }
}

function reading<T>(path: string, options: { readonly readonly?: boolean }, read: (db: Database) => T): T {
  try {
    const db = connect(path, { ...options, fileMustExist: true });
    try {
      return read(db);
    } finally {
      db.close();
    }
  } catch (error) {
    throw explained(error, path);
  }
}

function lookIn(db: Database): CopyLook {
  const isKept = db.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'meta'`).get() !== undefined;
  if (!isKept) return { homeId: null, epoch: '' };
  const home = db.prepare<[], { value: string }>(`SELECT value FROM meta WHERE key = 'home_id'`).get();
  return { homeId: home?.value ?? null, epoch: epochReader(db)() };
}
