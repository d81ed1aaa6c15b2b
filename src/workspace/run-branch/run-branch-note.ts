// Noted in the git folder before the branch exists.
import { join } from 'node:path';
import { z } from 'zod';
import { readGitNote, writeGitNote } from '../git/git-note.js';
import { findCommonDir } from '../git/worktree-list.js';

const noteSchema = z.strictObject({
  key: z.string(),
  name: z.string(),
  base: z.string(),
  at: z.string(),
  landed: z.strictObject({ from: z.string(), to: z.string() }).optional(),
});

export type BranchNote = Readonly<z.infer<typeof noteSchema>>;

const fileName = 'bosun-run-branches';
const notesMax = 200;

/** Null: none chosen. */
export async function readBranchNote(root: string, key: string): Promise<BranchNote | null> {
  return (await readNotes(await pathOf(root))).find((note) => note.key === key) ?? null;
}

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

/** After an invalid line the run gets another name. */
function parse(line: string): readonly BranchNote[] {
  if (line === '') return [];
  try {
    const note = noteSchema.safeParse(JSON.parse(line));
    return note.success ? [note.data] : [];
  } catch {
    return [];
  }
}
