// Ports whose functions take a run first, and read the shelf's rows for an archived run.
import type { Database } from 'better-sqlite3';

/** `named`: the functions that read archived rows. */
export function routed<T extends object>(
  db: Database,
  shelfOf: (run: string) => Database | null,
  open: (db: Database) => T,
  named: readonly (keyof T & string)[],
): T {
  const rows = open(db);
  let shelved: T | null = null;
  const choose = (run: string): T => {
    const shelf = shelfOf(run);
    if (shelf === null) return rows;
    shelved ??= open(shelf);
    return shelved;
  };
  const chosen = named.map((name) => [
    name,
    (run: string, ...rest: unknown[]) => {
      const act = choose(run)[name];
      if (typeof act !== 'function') throw new TypeError(`no function ${name}`);
      return act(run, ...rest);
    },
  ]);
  return { ...rows, ...Object.fromEntries(chosen) };
}
