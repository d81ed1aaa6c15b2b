import type { DiffStat, FileChange } from '../../engine/index.js';

export interface RawChange {
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldSha: string;
  readonly newSha: string;
  /** A, D, M or T (type changed). */
  readonly status: string;
  readonly path: string;
}

/** `:oldMode newMode oldSha newSha status` NUL `path` NUL, without renames. */
export function parseRaw(records: readonly string[]): RawChange[] {
  const changes: RawChange[] = [];
  for (let at = 0; at + 1 < records.length; at += 2) {
    const [oldMode = '', newMode = '', oldSha = '', newSha = '', status = ''] = (records[at] ?? '').slice(1).split(' ');
    changes.push({ oldMode, newMode, oldSha, newSha, status, path: records[at + 1] ?? '' });
  }
  return changes;
}

export interface LineCounts {
  readonly stat: DiffStat;
  readonly files: readonly FileChange[];
}

/** Git prints all raw records first. */
export function parseRawAndNumstat(records: readonly string[]): {
  readonly changes: readonly RawChange[];
  readonly lines: LineCounts;
} {
  let end = 0;
  while (records[end]?.startsWith(':')) end += 2;
  return { changes: parseRaw(records.slice(0, end)), lines: parseNumstat(records.slice(end)) };
}

/** `insertions TAB deletions TAB path` NUL; `-` for binary. */
export function parseNumstat(records: readonly string[]): LineCounts {
  const files = records.map((record) => {
    const [added = '', removed = '', ...path] = record.split('\t');
    const [insertions, deletions] = [Number.parseInt(added, 10) || 0, Number.parseInt(removed, 10) || 0];
    return { path: path.join('\t'), insertions, deletions };
  });
  const insertions = files.reduce((sum, file) => sum + file.insertions, 0);
  const deletions = files.reduce((sum, file) => sum + file.deletions, 0);
  return { stat: { files: files.length, insertions, deletions }, files };
}
