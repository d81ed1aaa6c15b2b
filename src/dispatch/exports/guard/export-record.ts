// In the home, out of agents' reach. A file that differs from its record is another program's.
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { z } from 'zod';

const entrySchema = z.strictObject({
  /** The last two: a crash may prevent the last write. */
  hashes: z.array(z.string()).max(2).readonly(),
  run: z.string(),
  /** Agents and hooks may have edited it since. */
  isBegun: z.boolean(),
});
const recordSchema = z.strictObject({ root: z.string(), files: z.record(z.string(), entrySchema) });

export type ExportEntry = Readonly<z.infer<typeof entrySchema>>;

export interface ExportRecord {
  readonly root: string;
  /** Keyed by the path below the root. */
  readonly files: ReadonlyMap<string, ExportEntry>;
}

/** No format needs more. */
const maxReadBytes = 64 * 1024 * 1024;
const maxListed = 2_000;

export const sessionsFolder = '.workflow/.ralph';

/** Null: nothing written there, or written before records existed. */
export function readExportRecord(home: string, root: string): ExportRecord | null {
  const path = recordPath(home, root);
  if (!existsSync(path)) return null;
  const read = recordSchema.safeParse(jsonOf(path));
  // Counts as empty, so a person is asked about each file.
  return { root, files: new Map(read.success ? Object.entries(read.data.files) : []) };
}

export function writeExportRecord(home: string, { root, files }: ExportRecord): void {
  const path = recordPath(home, root);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Not synced: after a loss a person is asked.
  const draft = `${path}.draft`;
  writeFileSync(draft, `${JSON.stringify({ root, files: Object.fromEntries(files) })}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

/** `hasRuns`: existing files are Bosun's, from before records. */
export function openExportRecord(home: string, root: string, hasRuns: boolean): ExportRecord {
  const known = readExportRecord(home, root);
  if (known !== null) return known;
  const paths = hasRuns ? exportedPaths(root) : [];
  const files = paths.flatMap((path) => {
    const text = readPlainFile(root, path);
    return text === null ? [] : [[path, unwritten(hashOfFile(text))] as const];
  });
  const record = { root, files: new Map(files) };
  writeExportRecord(home, record);
  return record;
}

export function unwritten(hash: string): ExportEntry {
  return { hashes: [hash], run: '', isBegun: false };
}

export function isOwnFile(record: ExportRecord, path: string, text: Buffer): boolean {
  return record.files.get(path)?.hashes.includes(hashOfFile(text)) === true;
}

export function hashOfFile(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Null: missing, a link, outside, or too large. */
export function readPlainFile(root: string, path: string): Buffer | null {
  let file: number | null = null;
  try {
    const place = join(root, path);
    if (!`${realpathSync(dirname(place))}${sep}`.startsWith(`${realpathSync(root)}${sep}`)) return null;
    file = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = fstatSync(file);
    return stat.isFile() && stat.size <= maxReadBytes ? readFileSync(file) : null;
  } catch {
    return null;
  } finally {
    if (file !== null) closeSync(file);
  }
}

export function sessionIds(root: string): readonly string[] {
  return namesIn(join(root, sessionsFolder)).slice(-maxListed);
}

function exportedPaths(root: string): readonly string[] {
  const states = namesIn(join(root, '.ai/states')).filter((name) => name.endsWith('.json'));
  const sessions = sessionIds(root).filter((id) => /-r\d+$/.test(id));
  return [
    ...['.ai/STATE.json', '.ai/prd.json', 'workflow_state.json'],
    ...states.slice(0, maxListed).map((name) => `.ai/states/${name}`),
    ...sessions.map((id) => `${sessionsFolder}/${id}/status.json`),
  ];
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function recordPath(home: string, root: string): string {
  return join(home, 'exported', `${createHash('sha256').update(root).digest('hex').slice(0, 16)}.json`);
}

function jsonOf(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}
