// Gives deleted rows' pages back to the disk in slices (decision 0076).
import type { Database } from 'better-sqlite3';
import { readPragma, setPragma } from './connection.js';
import { SliceSize } from './slice-size.js';
import { unsynced } from './unsynced.js';

export interface FreePages {
  /** False: done. */
  giveBack(): boolean;
}

const incremental = 2;
/** New rows take these first. */
const keptPages = 1_000;
const mostPages = 256;
/** A larger file keeps its free pages: rebuilding it would delay the start by more than a second. */
const maxRebuiltBytes = 256 * 1024 * 1024;

/** Works only before the first table exists. */
export function chooseVacuum(db: Database): void {
  if (readPragma(db, 'page_count') === 0) setPragma(db, 'auto_vacuum', incremental);
}

/** Converts an older, small file once. A reader or a full disk postpones that to the next start. */
export function rebuildForVacuum(db: Database): void {
  const bytes = readPragma(db, 'page_count') * readPragma(db, 'page_size');
  if (readPragma(db, 'auto_vacuum') === incremental || bytes > maxRebuiltBytes) return;
  try {
    setPragma(db, 'auto_vacuum', incremental);
    db.exec('VACUUM');
  } catch {
    // Unchanged: new rows reuse its free pages.
  }
}

/** `mayShrink` learns how far a checkpoint may cut the file. */
export function freePages(
  db: Database,
  mayShrink: (bytes: number) => void,
): FreePages & { readonly bytes: () => number } {
  const free = db.prepare<[], number>('PRAGMA freelist_count').pluck();
  const all = db.prepare<[], number>('PRAGMA page_count').pluck();
  const [canVacuum, pageBytes] = [readPragma(db, 'auto_vacuum') === incremental, readPragma(db, 'page_size')];
  const pages = new SliceSize(32, mostPages);
  const bytes = () => Number(all.get()) * pageBytes;
  const vacuum = unsynced(db, (count: number) => {
    db.exec(`PRAGMA incremental_vacuum(${count})`);
    mayShrink(bytes());
  });
  return {
    bytes,
    giveBack() {
      const spare = Number(free.get()) - keptPages;
      if (!canVacuum || spare <= 0) return false;
      pages.take((count) => vacuum(Math.min(count, spare)));
      return true;
    },
  };
}
