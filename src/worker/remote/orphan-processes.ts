// A killed worker leaves agents behind. Their tokens are on disk, so the home's next worker can end them.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { endProcessesOf } from '../../agents/index.js';
import { isAlive, processStart, replaceFile } from '../../base/index.js';
import type { Home } from '../../config/index.js';

export interface RunningAttempts {
  /** The result deletes the token. */
  begin(token: string): () => void;
}

const folderName = 'underway';
const maxFiles = 1_000;
const maxFileChars = 1024 * 1024;
const noteSchema = z.object({
  pid: z.int().positive(),
  startedAt: z.string().max(100),
  tokens: z.array(z.string().min(1).max(500)).max(10_000),
});

export function underway(home: Pick<Home, 'dir'>): RunningAttempts {
  const folder = join(home.dir, folderName);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${process.pid}-${randomBytes(4).toString('hex')}.json`);
  const startedAt = processStart(process.pid);
  const tokens = new Set<string>();

  function write(): void {
    if (tokens.size === 0) rmSync(path, { force: true });
    else replaceFile(path, JSON.stringify({ pid: process.pid, startedAt, tokens: [...tokens] }));
  }

  return {
    begin(token) {
      tokens.add(token);
      write();
      return () => {
        tokens.delete(token);
        write();
      };
    },
  };
}

export async function endOrphans(home: Pick<Home, 'dir'>): Promise<number> {
  const folder = join(home.dir, folderName);
  let ended = 0;
  for (const path of notesIn(folder)) {
    const note = read(path);
    if (note !== null && isAlive(note.pid, note.startedAt)) continue;
    if (note !== null) ended += await endProcessesOf(note.tokens);
    rmSync(path, { force: true });
  }
  return ended;
}

function notesIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
    return names.slice(0, maxFiles).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function read(path: string): z.infer<typeof noteSchema> | null {
  try {
    const text = readFileSync(path, 'utf8');
    return text.length > maxFileChars ? null : (noteSchema.safeParse(JSON.parse(text)).data ?? null);
  } catch {
    return null;
  }
}
