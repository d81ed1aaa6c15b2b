// Gives the pages of deleted rows back to the disk, a few at a time (decision 0076).
import type { Database } from 'better-sqlite3';
import { readPragma, setPragma } from './connection.js';
import { SliceSize } from './slice-size.js';
import { unsynced } from './unsynced.js';

export interface FreePages {
  /** One slice; false: enough is given back. */
  giveBack(): boolean;
}

const incremental = 2;
/** New rows take these first. */
const keptPages = 1_000;
const mostPages = 256;
/** A larger file keeps its free pages for new rows: rebuilding it would delay the start by more than about a second. */
const maxRebuiltBytes = 256 * 1024 * 1024;

/** Before the first table. */
export function chooseVacuum(db: Database): void {
  if (readPragma(db, 'page_count') === 0) setPragma(db, 'auto_vacuum', incremental);
}

/** Rebuilds the file of an earlier Bosun once, if it is small. A reader or a full disk postpones that to the next start. */
export function rebuildForVacuum(db: Database): void {
  const bytes = readPragma(db, 'page_count') * readPragma(db, 'page_size');
  if (readPragma(db, 'auto_vacuum') === incremental || bytes > maxRebuiltBytes) return;
  try {
    setPragma(db, 'auto_vacuum', incremental);
    db.exec('VACUUM');
  } catch {
    // The file is as it was: free pages are used by new rows.
  }
}

/** `mayShrink` is told to how many bytes a checkpoint may cut the file. */
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
