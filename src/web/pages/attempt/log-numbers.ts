// Line numbers of a growing log: pieces are counted once, so that its end does not cost the whole.
import type { FileHandle } from 'node:fs/promises';

const pieceBytes = 64 * 1024;
const maxFiles = 64;

/** Per file: line breaks before the end of each complete piece. */
const counted = new Map<string, number[]>();

interface NumberedFile {
  readonly file: FileHandle;
  /** Detects another file at the same path. */
  readonly id: string;
  readonly size: number;
}

export async function newlinesBefore(of: NumberedFile, offset: number): Promise<number> {
  const piece = Math.floor(offset / pieceBytes);
  const ends = await countedTo(of, piece);
  const rest = await readPiece(of.file, piece);
  return (ends[piece - 1] ?? 0) + breaksIn(rest.subarray(0, offset - piece * pieceBytes));
}

/** Returns an offset: the file's end if it has fewer lines. */
export async function lineStart({ file, id, size }: NumberedFile, line: number): Promise<number> {
  if (line <= 1) return 0;
  const breaks = line - 1;
  const ends = await countedTo({ file, id, size }, Math.floor(size / pieceBytes));
  const found = ends.findIndex((end) => end >= breaks);
  const piece = found === -1 ? ends.length : found;
  const bytes = await readPiece(file, piece);
  let from = 0;
  for (let left = breaks - (ends[piece - 1] ?? 0); left > 0; left -= 1) {
    const next = bytes.indexOf(10, from);
    if (next === -1) return size;
    from = next + 1;
  }
  return piece * pieceBytes + from;
}

async function countedTo({ file, id }: NumberedFile, pieces: number): Promise<readonly number[]> {
  const ends = counted.get(id) ?? [];
  counted.delete(id);
  const oldest = counted.size < maxFiles ? undefined : counted.keys().next().value;
  if (oldest !== undefined) counted.delete(oldest);
  counted.set(id, ends);
  while (ends.length < pieces) {
    const piece = ends.length;
    const bytes = await readPiece(file, piece);
    // Two pages may count at once.
    if (ends.length === piece) ends.push((ends[piece - 1] ?? 0) + breaksIn(bytes));
  }
  return ends;
}

async function readPiece(file: FileHandle, piece: number): Promise<Buffer> {
  const buffer = Buffer.alloc(pieceBytes);
  const { bytesRead } = await file.read(buffer, 0, pieceBytes, piece * pieceBytes);
  return buffer.subarray(0, bytesRead);
}

function breaksIn(bytes: Buffer): number {
  let breaks = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) breaks += 1;
  return breaks;
}
