// Which branch a run was given, noted in the repository's git folder before it is made.
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { BosunError, writeOwnFile } from '../../base/index.js';
import { findCommonDir } from '../git/worktree-list.js';

const noteSchema = z.strictObject({
  key: z.string(),
  name: z.string(),
  base: z.string(),
  /** The commit that it began at. */
  at: z.string(),
  /** The commits that the base stood at before the work was put on it, and after. */
  landed: z.strictObject({ from: z.string(), to: z.string() }).optional(),
});

export type BranchNote = Readonly<z.infer<typeof noteSchema>>;

const fileName = 'bosun-run-branches';
const notesMax = 200;

/** null: none was chosen yet. */
export async function readBranchNote(root: string, key: string): Promise<BranchNote | null> {
  return (await readNotes(await pathOf(root))).find((note) => note.key === key) ?? null;
}

/** In the place of what was noted for that run before. */
export async function noteBranch(root: string, note: BranchNote): Promise<void> {
  const path = await pathOf(root);
  const others = (await readNotes(path)).filter(({ key }) => key !== note.key);
  const lines = [...others, note].slice(-notesMax).map((one) => JSON.stringify(one));
  try {
    writeOwnFile(dirname(path), path, `${lines.join('\n')}\n`);
  } catch (cause) {
    throw new BosunError('git', `Cannot write ${path}`, { hint: 'Make room, or give access to it.', cause });
  }
}

async function pathOf(root: string): Promise<string> {
  return join(await findCommonDir(root), fileName);
}

async function readNotes(path: string): Promise<readonly BranchNote[]> {
  try {
    return (await readFile(path, 'utf8')).split('\n').flatMap(parse);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return [];
    throw new BosunError('git', `Cannot read ${path}`, { hint: 'Give access to it.', cause });
  }
}

/** A line that says nothing is as good as none: another name is chosen. */
function parse(line: string): readonly BranchNote[] {
  if (line === '') return [];
  try {
    const note = noteSchema.safeParse(JSON.parse(line));
    return note.success ? [note.data] : [];
  } catch {
    return [];
  }
}
