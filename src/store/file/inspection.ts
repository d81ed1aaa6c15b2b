// The writer's cache hides damage until a page is read again, and may write on top of it.
import type { Database } from 'better-sqlite3';
import { DamagedError } from '../../base/index.js';
import { connect } from './connection.js';
import { restoreHint } from './sqlite-failure.js';

export interface Inspection {
  inspect(): void;
  close(): void;
}

/** In a larger file only the identity is compared: a full check would block the event loop. */
const maxCheckedBytes = 16 * 1024 * 1024;

export function inspection(writer: Database, path: string): Inspection {
  const own = identityIn(writer);
  let beside: ReturnType<typeof openBeside> | null = null;
  return {
    inspect() {
      beside ??= openBeside(path);
      // Drops cached pages.
      beside.db.exec('PRAGMA shrink_memory');
      if (beside.identity.get() !== own.get()) throw damaged(path, 'was overwritten');
      if (Number(beside.bytes.get()) > maxCheckedBytes) return;
      const found = beside.check.get();
      if (found !== 'ok') throw damaged(path, `was damaged (${String(found)})`);
    },
    close: () => void beside?.db.close(),
  };
}

function openBeside(path: string) {
  const db = connect(path, { readonly: true, fileMustExist: true });
  return {
    db,
    identity: identityIn(db),
    bytes: db.prepare('SELECT page_count * page_size FROM pragma_page_count, pragma_page_size').pluck(),
    check: db.prepare('PRAGMA quick_check(1)').pluck(),
  };
}

function identityIn(db: Database) {
  return db.prepare('SELECT group_concat(key || value) FROM (SELECT key, value FROM meta ORDER BY key)').pluck();
}

function damaged(path: string, how: string): DamagedError {
  return new DamagedError(`${path} ${how} while Bosun was running; Bosun writes nothing more to it`, {
    hint: restoreHint,
  });
}
