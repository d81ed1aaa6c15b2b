// Rows of a run that an archive holds, in the file's order. A new column of these tables needs a new format.

type Value = string | number | null;
export type Row = readonly Value[];

export interface ArchivedTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** Starts at @from, in the order of `place`, which precedes each row. */
  readonly page: string;
  /** Up to @limit rows of @run; null: the rows stay too. */
  readonly remove: string | null;
}

const items = ['run', 'key', 'pos', 'status', 'body'];
const chains = ['run', 'key', 'body'];
const nodes = ['run', 'id', 'chain', 'pos', 'state', 'live', 'last', 'body'];
const attempts = ['id', 'run', 'chain', 'node', 'state', 'checkpoint', 'body'];
const records = ['run', 'chain', 'at', 'by', 'action', 'label', 'template', 'details'];
const events = ['seq', 'run', 'chain', 'type', 'at', 'by', 'payload', 'hash'];

const list = (columns: readonly string[]) => columns.map((one) => `"${one}"`).join(', ');
/** The inner query uses only the index, so SQLite neither scans the table nor sorts bodies. */
const ids = (table: string, index: string, id: string) =>
  `SELECT ${id} FROM ${table} INDEXED BY ${index} WHERE run = @run AND ${id} >= @from ORDER BY ${id} LIMIT @limit`;
const paged = (table: string, columns: readonly string[], index: string, id: string) =>
  `SELECT ${id} AS place, ${list(columns)} FROM ${table} WHERE ${id} IN (${ids(table, index, id)}) ORDER BY ${id}`;
const keyed = (table: string, columns: readonly string[], key: string) =>
  `SELECT ${key} AS place, ${list(columns)} FROM ${table} WHERE run = @run AND ${key} >= @from ORDER BY ${key} LIMIT @limit`;

/** These rows stay too: lists of runs read items, and the audit page reads people's acts. */
export const archivedTables: readonly ArchivedTable[] = [
  { name: 'items', columns: items, page: keyed('items', items, 'key'), remove: null },
  {
    ...{ name: 'chains', columns: chains, page: keyed('chains', chains, 'key') },
    remove: 'DELETE FROM chains WHERE run = @run AND key IN (SELECT key FROM chains WHERE run = @run LIMIT @limit)',
  },
  {
    ...{ name: 'nodes', columns: nodes, page: keyed('nodes', nodes, 'id') },
    remove: 'DELETE FROM nodes WHERE run = @run AND id IN (SELECT id FROM nodes WHERE run = @run LIMIT @limit)',
  },
  {
    ...{ name: 'attempts', columns: attempts, page: paged('attempts', attempts, 'attempts_by_node', 'rowid') },
    remove: `DELETE FROM attempts WHERE rowid IN
      (SELECT rowid FROM attempts INDEXED BY attempts_by_node WHERE run = @run LIMIT @limit)`,
  },
  {
    ...{ name: 'records', columns: records, page: paged('records', records, 'records_of_run', 'n') },
    remove:
      'DELETE FROM records WHERE n IN (SELECT n FROM records INDEXED BY records_of_run WHERE run = @run LIMIT @limit)',
  },
  {
    ...{ name: 'events', columns: events, page: paged('events', events, 'events_of_run', 'seq') },
    remove: `DELETE FROM events WHERE seq IN
      (SELECT seq FROM events INDEXED BY events_of_run WHERE run = @run AND "by" IS NULL LIMIT @limit)`,
  },
];

export function insertInto({ name, columns }: ArchivedTable): string {
  return `INSERT INTO ${name} (${list(columns)}) VALUES (${columns.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`;
}
