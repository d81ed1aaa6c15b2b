// Reads the tail of an attempt's log, so that a long log costs no more than what is shown.
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { openWithin } from '../../../base/index.js';
import type { LogPlace } from '../../../dispatch/index.js';

export interface LogEnd {
  readonly lines: readonly LogLine[];
  readonly sizeBytes: number;
  /** True if earlier lines were left out. */
  readonly isCut: boolean;
  readonly firstError?: LogLine | undefined;
}

export interface LogLine {
  readonly source: 'out' | 'err' | 'sys' | 'team';
  readonly text: string;
  /** When it was printed; null: not told. */
  readonly at: number | null;
}

export const tailBytes = 48 * 1024;
export const longTailBytes = 1024 * 1024;
const maxLines = 4_000;
const maxLineChars = 2_000;

const lineSchema = z.object({
  s: z.enum(['out', 'err', 'sys', 'team']).catch('out'),
  line: z.string(),
  t: z.number().nullable().catch(null).default(null),
});

/** null: the file is missing, or outside its folder. */
export async function readLogEnd({ root, path }: LogPlace, bytes: number): Promise<LogEnd | null> {
  const file = await openWithin(root, path);
  if (file === null) return null;
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - bytes);
    const buffer = Buffer.alloc(size - from);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, from);
    const text = buffer.subarray(0, bytesRead).toString('utf8');
    // The text before the first line break may be a partial line.
    const raw = text.split('\n');
    const whole = from > 0 && raw.length > 1 ? raw.slice(1) : raw;
    const lines = whole.filter((one) => one !== '').slice(-maxLines);
    return { lines: lines.map(lineOf), sizeBytes: size, isCut: from > 0 || whole.length > maxLines };
  } finally {
    await file.close();
  }
}

/** Streams the whole file as stored. */
export async function streamLog({ root, path }: LogPlace): Promise<ReadableStream<Uint8Array> | null> {
  const file = await openWithin(root, path);
  if (file === null) return null;
  const { size } = await file.stat();
  if (size === 0) {
    await file.close();
    return new Blob([]).stream();
  }
  const stream = createReadStream('', { fd: file, end: size - 1 });
  return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
}

function lineOf(raw: string): LogLine {
  const parsed = raw.length > maxLineChars * 8 ? null : parsedLine(raw);
  if (parsed !== null) return { source: parsed.s, text: cut(parsed.line), at: parsed.t };
  // Overlong or partial: show its beginning without the JSON prefix.
  return {
    source: 'out',
    at: null,
    text: cut(raw.slice(0, maxLineChars + 1).replace(/^\{"t":\d+,"s":"\w+","line":"/, '')),
  };
}

function parsedLine(raw: string) {
  try {
    return lineSchema.safeParse(JSON.parse(raw)).data ?? null;
  } catch {
    return null;
  }
}

function cut(text: string): string {
  return text.length > maxLineChars ? `${text.slice(0, maxLineChars)} … (line truncated)` : text;
}
