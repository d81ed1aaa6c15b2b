// Whole lines of a log from an offset, bounded.

import { z } from 'zod';
import { openWithin } from '../../base/index.js';
import type { LogPlace } from '../../dispatch/index.js';
import { iso } from './attempt-json.js';

export interface LogWindow {
  readonly items: readonly LogLineJson[];
  /** Null: nothing more yet. */
  readonly next: string | null;
  /** Counts complete lines only. */
  readonly size: number;
}

export interface LogLineJson {
  readonly id: string;
  readonly at: string | null;
  readonly from: string;
  readonly line: string;
}

const maxWindowBytes = 256 * 1024;
/** The rest of a huge line is dropped. */
const maxLineChars = 20_000;

const entry = z.object({ t: z.number().int().min(0).max(8.64e15).optional(), s: z.string().max(20), line: z.string() });

/** Null: missing, not regular, or outside `root`. */
export async function readLogWindow(
  { root, path }: LogPlace,
  offset: number,
  maxLines: number,
): Promise<LogWindow | null> {
  const file = await openWithin(root, path);
  if (file === null) return null;
  try {
    const facts = await file.stat();
    const bytes = Buffer.alloc(Math.max(0, Math.min(maxWindowBytes, facts.size - offset)));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, offset);
    return windowOf(bytes.subarray(0, bytesRead), { offset, maxLines, size: facts.size });
  } finally {
    await file.close();
  }
}

interface Place {
  readonly offset: number;
  readonly maxLines: number;
  readonly size: number;
}

function windowOf(bytes: Buffer, { offset, maxLines, size }: Place): LogWindow {
  const items: LogLineJson[] = [];
  let at = 0;
  while (items.length < maxLines && at < bytes.length) {
    const end = bytes.indexOf(10, at);
    // Unfinished lines wait, unless one exceeds the window.
    const isLone = end === -1 && at === 0 && bytes.length === maxWindowBytes;
    if (end === -1 && !isLone) break;
    const until = end === -1 ? bytes.length : end;
    if (until > at) items.push(lineOf(bytes.toString('utf8', at, until), offset + at));
    at = until + 1;
  }
  const reached = Math.min(offset + at, size);
  const next = reached > offset && reached < size ? String(reached) : null;
  // A client that continues from `size` gets the last line whole.
  return { items, next, size: next === null ? reached : size };
}

function lineOf(text: string, offset: number): LogLineJson {
  const read = entry.safeParse(jsonOf(text));
  const { t = null, s, line } = read.success ? { t: null, ...read.data } : { t: null, s: 'out', line: text };
  return { id: String(offset), at: iso(t), from: s, line: line.slice(0, maxLineChars) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
