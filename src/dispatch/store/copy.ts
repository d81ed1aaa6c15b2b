// A database as one of several copies, looked at and marked before the store is opened: which home it is of, whether it
// is whole, and its epoch.
import { existsSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { connect } from './connection.js';
import { epochReader, writeEpoch } from './epoch.js';
import { explained } from './failure.js';
import { keptHomeId, openWriter } from './open.js';

export interface CopyLook {
  /** Null: it belongs to no home yet. */
  readonly homeId: string | null;
  /** Empty: none was ever active with it as one of several. */
  readonly epoch: string;
}

/** Null: there is no file. */
export function lookAtCopy(path: string): CopyLook | null {
  return existsSync(path) ? reading(path, { readonly: true }, lookIn) : null;
}

/** The same for a copy that has just been fetched and that nobody else has open, looked through whether it is whole. */
export function checkCopy(path: string): CopyLook & { readonly damage: string | null } {
  return reading(path, {}, (db) => {
    const [found = 'nothing'] = db.prepare('PRAGMA quick_check(1)').pluck().all().map(String);
    return found === 'ok' ? { ...lookIn(db), damage: null } : { homeId: null, epoch: '', damage: found };
  });
}

/** Makes the database where there is none. */
export function keepEpoch(path: string, homeId: string, epoch: string): void {
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
