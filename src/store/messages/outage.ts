// Which threads know that what all runs stand on is gone, so that they hear of its end whoever tells it.
import type { Database } from 'better-sqlite3';

export interface OutageRows {
  /** Null: nobody was told. */
  told(): readonly string[] | null;
}

export interface OutageWriter {
  put(threads: readonly string[] | null): void;
}

const key = 'outage';

export function outageRows(db: Database): OutageRows & OutageWriter {
  const get = db.prepare<[string], { value: string }>('SELECT value FROM meta WHERE key = ?');
  const drop = db.prepare('DELETE FROM meta WHERE key = ?');
  const set = db.prepare(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  );
  return {
    told() {
      const kept = get.get(key)?.value;
      return kept === undefined ? null : (JSON.parse(kept) as readonly string[]);
    },
    put(threads) {
      if (threads === null) drop.run(key);
      else set.run(key, JSON.stringify(threads));
    },
  };
}
