// Records in the repository's git folder which branch a run got, before the branch is created.
import { join } from 'node:path';
import { z } from 'zod';
import { readGitNote, writeGitNote } from '../git/git-note.js';
import { findCommonDir } from '../git/worktree-list.js';

const noteSchema = z.strictObject({
  key: z.string(),
  name: z.string(),
  base: z.string(),
  /** The commit at which the branch starts. */
  at: z.string(),
  /** The base's commits before and after the work landed on it. */
  landed: z.strictObject({ from: z.string(), to: z.string() }).optional(),
});

export type BranchNote = Readonly<z.infer<typeof noteSchema>>;

const fileName = 'bosun-run-branches';
const notesMax = 200;

/** Null if none was chosen yet. */
export async function readBranchNote(root: string, key: string): Promise<BranchNote | null> {
  return (await readNotes(await pathOf(root))).find((note) => note.key === key) ?? null;
}

/** Replaces the run's earlier note. */
export async function noteBranch(root: string, note: BranchNote): Promise<void> {
  const path = await pathOf(root);
  const others = (await readNotes(path)).filter(({ key }) => key !== note.key);
  const lines = [...others, note].slice(-notesMax).map((one) => JSON.stringify(one));
  writeGitNote(path, `${lines.join('\n')}\n`);
}

async function pathOf(root: string): Promise<string> {
  return join(await findCommonDir(root), fileName);
}

async function readNotes(path: string): Promise<readonly BranchNote[]> {
  return (await readGitNote(path)).split('\n').flatMap(parse);
}

/** Skips an invalid line; the run then gets another name. */
function parse(line: string): readonly BranchNote[] {
  if (line === '') return [];
  try {
    const note = noteSchema.safeParse(JSON.parse(line));
    return note.success ? [note.data] : [];
  } catch {
    return [];
  }
}
