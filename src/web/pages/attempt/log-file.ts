// Reads the tail, so that a long log costs no more.
import { createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { openWithin } from '../../../base/index.js';
import type { LogPlace } from '../../../dispatch/index.js';
import { lineStart, newlinesBefore } from './log-numbers.js';

export interface LogEnd {
  readonly lines: readonly LogLine[];
  readonly sizeBytes: number;
  readonly isCut: boolean;
  /** False: later lines were left out. */
  readonly isEnd: boolean;
}

export interface LogLine {
  readonly source: 'out' | 'err' | 'sys' | 'team' | 'tool';
  readonly text: string;
  /** In the whole log, from 1. */
  readonly n: number;
  readonly at: number | null;
}

export const tailBytes = 48 * 1024;
export const longTailBytes = 1024 * 1024;
const maxLines = 4_000;
const maxLineChars = 2_000;

const lineSchema = z.object({
  s: z.enum(['out', 'err', 'sys', 'team', 'tool']).catch('out'),
  line: z.string(),
  t: z.number().nullable().catch(null).default(null),
});

interface LogPart {
  readonly bytes: number;
  /** From 1; null: the end. */
  readonly line: number | null;
}

/** Null: missing, or outside. */
export async function readLogPart({ root, path }: LogPlace, { bytes, line }: LogPart): Promise<LogEnd | null> {
  const file = await openWithin(root, path);
  if (file === null) return null;
  try {
    const { size, dev, ino } = await file.stat();
    const numbered = { file, id: `${dev}:${ino}`, size };
    const from = line === null ? size - bytes : await lineStart(numbered, line - linesAbove);
    const begin = Math.max(0, from);
    const before = await newlinesBefore(numbered, begin);
    const text = await readText(file, begin, Math.min(bytes, size - begin));
    const raw = text.split('\n').map((one, index) => ({ text: one, n: before + index + 1 }));
    const isEnd = begin + bytes >= size;
    // Drops cut lines, unless there is no other.
    const first = begin === 0 || line !== null || raw.length < 2 ? 0 : 1;
    const whole = raw.slice(first, isEnd || raw.length - first < 2 ? undefined : -1);
    const lines = whole.filter((one) => one.text !== '');
    const shown = line === null ? lines.slice(-maxLines) : lines.slice(0, maxLines);
    return {
      lines: shown.map(lineOf),
      sizeBytes: size,
      isCut: begin > 0 || shown.length < lines.length,
      isEnd,
    };
  } finally {
    await file.close();
  }
}

const linesAbove = 100;

async function readText(file: FileHandle, from: number, bytes: number): Promise<string> {
  const buffer = Buffer.alloc(Math.max(0, bytes));
  const { bytesRead } = await file.read(buffer, 0, buffer.length, from);
  return buffer.toString('utf8', 0, bytesRead);
}

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

function lineOf({ text: raw, n }: { readonly text: string; readonly n: number }): LogLine {
  const parsed = raw.length > maxLineChars * 8 ? null : parsedLine(raw);
  if (parsed !== null) return { source: parsed.s, text: cut(parsed.line), at: parsed.t, n };
  // Overlong or partial: its beginning, without the JSON prefix.
  return {
    source: 'out',
    at: null,
    n,
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
