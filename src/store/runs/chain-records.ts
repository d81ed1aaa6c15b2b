import type { Database } from 'better-sqlite3';
import { parsed } from '../file/json-column.js';
import type { StoredRecord } from './run-types.js';

interface RecordRow {
  readonly run: string;
  readonly chain: string;
  readonly at: number;
  readonly by: string | null;
  readonly action: StoredRecord['record']['action'];
  readonly label: string | null;
  readonly template: string | null;
  readonly details: string;
}

export interface RecordReader {
  /** The last `maxRead`, in order. */
  records(run: string, chain?: string | null): readonly StoredRecord[];
}

export interface RecordRows extends RecordReader {
  append(records: readonly StoredRecord[]): void;
}

const columns = 'run, chain, at, "by", action, label, template, details';

/** Enough for a hundred stories with all edits. */
const maxRead = 20_000;

export function recordRows(db: Database): RecordRows {
  const insert = db.prepare(`INSERT INTO records (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
  const ofRun = db.prepare<[string, number], RecordRow>(
    `SELECT ${columns} FROM records WHERE run = ? ORDER BY n DESC LIMIT ?`,
  );
  const ofChain = db.prepare<[string, string, number], RecordRow>(
    `SELECT ${columns} FROM records INDEXED BY records_of_run WHERE run = ? AND chain = ? ORDER BY n DESC LIMIT ?`,
  );
  return {
    append(records) {
      for (const { run, chain, at, by, record } of records) {
        const { action, step, details } = record;
        const [label, template] = [step?.label ?? null, step?.template ?? null];
        insert.run(run, chain, at, by, action, label, template, JSON.stringify(details));
      }
    },
    records(run, chain = null) {
      const rows = chain === null ? ofRun.all(run, maxRead) : ofChain.all(run, chain, maxRead);
      return rows.reverse().map(storedRecord);
    },
  };
}

function storedRecord(row: RecordRow): StoredRecord {
  const { run, chain, at, by, action, label, template } = row;
  const step = label === null || template === null ? null : { label, template };
  return { run, chain, at, by, record: { action, chain, step, details: parsed(row.details) } };
}
