// A compressed file per archived run: a line that names it, then its rows as JSON. Written under another name, synced,
// read back and renamed, so a file under its own name is whole.
import { createHash } from 'node:crypto';
import { constants, createReadStream, createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip, gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { BosunError, errnoOf } from '../../base/index.js';
import { archivedTables, type Row } from './archive-tables.js';

/** The compressed file's hash, kept in the database to notice damage. */
export interface Sealed {
  readonly sha256: string;
  /** Uncompressed. */
  readonly bytes: number;
}

export interface Rows {
  readonly table: string;
  readonly rows: readonly Row[];
}

const format = 1;
/** Readers load the whole file. */
export const maxBytes = 64 * 1024 * 1024;
const value = z.union([z.string(), z.number(), z.null()]);
const headerSchema = z.object({ bosun: z.literal('archive'), format: z.literal(format), run: z.string() });
const lineSchema = z.tuple([z.enum(archivedTables.map(({ name }) => name))], value);

/** The name contains the hash: an older copy of the database finds the file that it knows. */
export function archivePath(database: string, run: string, sha256: string): string {
  return join(dirname(database), 'archive', `${run}-${sha256.slice(0, 12)}.jsonl.gz`);
}

/** Null: larger than readers may load. Rows come in slices, which let other work in between. */
export async function writeArchive(database: string, run: string, slices: AsyncIterable<Rows>): Promise<Sealed | null> {
  const draft = archivePath(database, run, 'part');
  mkdirSync(dirname(draft), { recursive: true, mode: 0o700 });
  await rm(draft, { force: true });
  try {
    const written = await write(draft, linesOf(run, slices));
    if (written.bytes > maxBytes) return null;
    const sha256 = await readBack(draft, written.sha256);
    await rename(draft, archivePath(database, run, sha256));
    await sync(dirname(draft), constants.O_RDONLY);
    return { sha256, bytes: written.bytes };
  } finally {
    await rm(draft, { force: true });
  }
}

async function* linesOf(run: string, slices: AsyncIterable<Rows>): AsyncGenerator<string> {
  yield `${JSON.stringify({ bosun: 'archive', format, run })}\n`;
  let chars = 0;
  for await (const { table, rows } of slices) {
    const lines = rows.map((row) => `${JSON.stringify([table, ...row])}\n`).join('');
    chars += lines.length;
    yield lines;
    if (chars > maxBytes) return;
  }
}

async function write(path: string, lines: AsyncIterable<string>): Promise<Sealed> {
  const counted = counter();
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  await pipeline(Readable.from(lines, { objectMode: false }), counted.stream, createGzip(), file);
  await sync(path, constants.O_RDWR);
  return counted.sealed();
}

/** Returns the file's hash after comparing its content. */
async function readBack(path: string, content: string): Promise<string> {
  const [raw, packed] = [counter(), counter()];
  const sink = new Transform({ transform: (_chunk, _encoding, done) => done() });
  await pipeline(createReadStream(path), packed.stream, createGunzip(), raw.stream, sink.resume());
  if (raw.sealed().sha256 !== content) {
    throw new BosunError('disk', `${path} does not hold what was written to it`, { hint: 'Check the disk.' });
  }
  return packed.sealed().sha256;
}

function counter() {
  const hash = createHash('sha256');
  let bytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  return { stream, sealed: (): Sealed => ({ sha256: hash.digest('hex'), bytes }) };
}

async function sync(path: string, flags: number): Promise<void> {
  const file = await open(path, flags);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Throws if it is missing or damaged. */
export function readArchive(path: string, run: string, { sha256 }: Pick<Sealed, 'sha256'>): readonly Rows[] {
  const packed = contentOf(path, run);
  if (createHash('sha256').update(packed).digest('hex') !== sha256)
    throw unreadable(path, run, 'was damaged or replaced');
  const [header = '', ...lines] = gunzipSync(packed, { maxOutputLength: 4 * maxBytes })
    .toString()
    .trimEnd()
    .split('\n');
  const named = headerSchema.safeParse(JSON.parse(header));
  if (named.data?.run !== run) throw unreadable(path, run, 'holds another run, or is of a newer Bosun');
  const tables = new Map<string, Row[]>(archivedTables.map(({ name }) => [name, []]));
  for (const line of lines) {
    const [table, ...row] = lineSchema.parse(JSON.parse(line));
    tables.get(table)?.push(row);
  }
  return [...tables].map(([table, rows]) => ({ table, rows }));
}

function contentOf(path: string, run: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    const why = errnoOf(cause) === 'ENOENT' ? 'is missing' : `cannot be read (${errnoOf(cause)})`;
    throw unreadable(path, run, why, cause);
  }
}

function unreadable(path: string, run: string, why: string, cause?: unknown): BosunError {
  return new BosunError('bad_database', `${path} ${why}: it holds the steps and events of ${run}`, {
    hint: 'Put the file back from a backup of the home. Everything else works without it.',
    cause,
  });
}
